// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What listing all kernels costs beyond the bytes it needs.
//
//   kernels [--runs N] [--threads N] [--command PATH] FILE…
//
// For each file, in turn (A B C D A B C D …), whatever the machine does
// meanwhile:
//   A  reads and decompresses the payloads that gantry's discovery finds, and
//      nothing else
//   B  inspect::file() with all kernels, without the file's digest
//   C  A in a process of its own
//   D  the command: `gantry inspect --no-digest --show kernels FILE`
// One row per file: medians, smallest and largest, and the medians of B/A and
// D/C of the same turn, of wall time and, in brackets, of processor time, which
// a busy machine disturbs less. "reading" in place of "decompressing" means
// that no payload is compressed.

#include "base/file.h"
#include "base/parallel.h"
#include "format/ccob.h"
#include "inspect/discover.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

using namespace gantry;
using namespace gantry::inspect;

namespace {

struct Settings {
  unsigned runs = 5;
  unsigned threads = 2;
  std::string command; // "" not measured
  std::string self;    // this program
  bool payloads_only = false;
  std::vector<std::string> files;
};

// Seconds.
struct Cost {
  double wall = 0, processor = 0;
};

// Of this process and of those that it waited for.
double processor_seconds() {
  double sum = 0;
  for (auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval &t : {usage.ru_utime, usage.ru_stime})
      sum +=
          static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  }
  return sum;
}

Cost cost_of(const auto &work) {
  auto start = std::chrono::steady_clock::now();
  const double before = processor_seconds();
  work();
  std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  return {wall.count(), processor_seconds() - before};
}

struct Payloads {
  std::vector<Payload> list;
  std::uint64_t stored = 0, decoded = 0;
  bool compressed = false;
};

Payloads payloads_of(const Source &source) {
  WindowSource headers(source);
  Discovery found = discover(headers, Limits());
  Payloads out;
  for (const Region &region : found.regions)
    for (const Unit &unit : region.units)
      for (const Payload &p : unit.payloads) {
        out.list.push_back(p);
        out.stored += p.stored;
        out.decoded += p.decoded;
        out.compressed = out.compressed || p.codec != Codec::none ||
                         p.holds == Payload::Holds::container;
      }
  return out;
}

void decompress_all(const Source &source, const Payloads &payloads,
                    unsigned threads) {
  struct Worker {
    Buffer stored, decoded;
    Decompressor decompressor;
  };
  std::vector<Worker> workers(threads);
  auto work = [&](std::uint64_t i, unsigned worker) {
    const Payload &p = payloads.list[i];
    Worker &w = workers[worker];
    auto stored = source.read(p.offset, p.stored, w.stored);
    if (!stored)
      return;
    if (p.holds != Payload::Holds::container) {
      (void)w.decompressor.decode(p.codec, *stored, p.decoded, Limits(),
                                  w.decoded);
    } else if (auto header = ccob::read_header(*stored)) {
      (void)ccob::decode(*stored, *header, w.decompressor, Limits(), w.decoded);
    }
  };
  (void)parallel_for(payloads.list.size(), threads, work);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() / 2];
}

// One of the three ways, turn by turn.
struct Series {
  std::vector<double> walls, ratios, processor_ratios;

  void add(const Cost &cost, const Cost &beside) {
    walls.push_back(cost.wall);
    ratios.push_back(cost.wall / beside.wall);
    processor_ratios.push_back(cost.processor / beside.processor);
  }
  std::string milliseconds() const {
    if (walls.empty())
      return "-";
    auto [low, high] = std::ranges::minmax(walls);
    return fmt::format("{:.0f} ms ({:.0f}–{:.0f})", median(walls) * 1e3,
                       low * 1e3, high * 1e3);
  }
  std::string ratio() const {
    if (ratios.empty())
      return "-";
    return fmt::format("{:.2f} ({:.2f})", median(ratios),
                       median(processor_ratios));
  }
};

void measure(const std::string &path, const Settings &settings) {
  auto source = FileSource::open(path);
  if (!source) {
    fmt::print("{}\n", source.error().text());
    return;
  }
  const Payloads payloads = payloads_of(**source);
  Options options;
  options.analysis = Analysis::kernels;
  options.digest = false;
  options.threads = settings.threads;
  const std::string command =
      fmt::format("{} inspect --no-digest --show kernels -j {} '{}' >/dev/null",
                  settings.command, settings.threads, path);
  if (settings.payloads_only)
    return decompress_all(**source, payloads, settings.threads);
  const std::string alone =
      fmt::format("'{}' --payloads-only --threads {} '{}'", settings.self,
                  settings.threads, path);
  Series bare, library, process, whole;
  std::uint64_t kernels = 0;
  for (unsigned run = 0; run <= settings.runs; run++) {
    Cost a =
        cost_of([&] { decompress_all(**source, payloads, settings.threads); });
    Cost b = cost_of([&] {
      auto report = inspect::file(path, options);
      kernels = report ? report->kernels.size() : 0;
    });
    Cost c, d;
    if (!settings.command.empty()) {
      c = cost_of([&] { (void)std::system(alone.c_str()); });
      d = cost_of([&] { (void)std::system(command.c_str()); });
    }
    if (run == 0)
      continue; // warms caches
    bare.add(a, a);
    library.add(b, a);
    if (settings.command.empty())
      continue;
    process.add(c, c);
    whole.add(d, c);
  }
  fmt::print("| {} | {} | {} | {:.0f} → {:.0f} MB | {} {} | {} | {} | {} | {} "
             "| {} |\n",
             path.substr(path.rfind('/') + 1), payloads.list.size(), kernels,
             static_cast<double>(payloads.stored) / 1e6,
             static_cast<double>(payloads.decoded) / 1e6,
             payloads.compressed ? "decompressing" : "reading",
             bare.milliseconds(), library.milliseconds(), library.ratio(),
             process.milliseconds(), whole.milliseconds(), whole.ratio());
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  settings.self = argv[0];
  for (int i = 1; i < argc; i++) {
    const std::string_view arg = argv[i];
    if (arg == "--runs" && i + 1 < argc)
      settings.runs = static_cast<unsigned>(std::atoi(argv[++i]));
    else if (arg == "--threads" && i + 1 < argc)
      settings.threads = static_cast<unsigned>(std::atoi(argv[++i]));
    else if (arg == "--command" && i + 1 < argc)
      settings.command = argv[++i];
    else if (arg == "--payloads-only")
      settings.payloads_only = true;
    else
      settings.files.emplace_back(arg);
  }
  if (settings.files.empty() || settings.runs == 0 || settings.threads == 0) {
    fmt::print(stderr, "usage: kernels [--runs N] [--threads N] "
                       "[--command PATH] FILE…\n");
    return 2;
  }
  if (!settings.payloads_only)
    fmt::print(
        "| file | payloads | kernels | stored → decoded | payloads alone "
        "| library | ratio | payloads alone, process | command | ratio "
        "|\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- "
        "|\n");
  for (const std::string &file : settings.files)
    measure(file, settings);
  return 0;
}
