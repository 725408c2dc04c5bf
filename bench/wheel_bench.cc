// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wheels: an inspection beside merely unpacking the same members with
// libarchive, in one run. $GANTRY_WHEELS is a folder of wheels; without it the
// committed sample is measured.
//
// Goal: within 1.3 times.

#include "gantry/inspect.h"
#include "inspect/member_names.h"

#include <archive.h>
#include <archive_entry.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace {

using namespace gantry;

std::vector<std::string> wheels() {
  std::vector<std::string> out;
  const char *folder = std::getenv("GANTRY_WHEELS");
  for (const auto &file : std::filesystem::directory_iterator(
           folder ? folder : GANTRY_SAMPLES "/wheel"))
    if (file.path().extension() == ".whl")
      out.push_back(file.path().string());
  std::ranges::sort(out);
  return out;
}

// All members that can be code, one after the other, into the same memory.
std::uint64_t unpack(const std::string &path) {
  static std::vector<char> memory;
  std::uint64_t total = 0;
  archive *a = archive_read_new();
  archive_read_support_format_zip(a);
  if (archive_read_open_filename(a, path.c_str(), 1 << 20) != ARCHIVE_OK)
    std::abort();
  archive_entry *entry = nullptr;
  int status;
  while ((status = archive_read_next_header(a, &entry)) != ARCHIVE_EOF) {
    if (status < ARCHIVE_WARN)
      std::abort();
    if (inspect::skipped_by_name(archive_entry_pathname(entry)))
      continue;
    auto size = static_cast<std::size_t>(archive_entry_size(entry));
    if (memory.size() < size)
      memory.resize(size);
    if (archive_read_data(a, memory.data(), size) !=
        static_cast<la_ssize_t>(size))
      std::abort();
    total += size;
  }
  archive_read_free(a);
  return total;
}

void measure_unpacking(benchmark::State &state, const std::string &path) {
  std::uint64_t bytes = 0;
  for (auto _ : state)
    bytes = unpack(path);
  state.counters["MB"] = static_cast<double>(bytes) / 1e6;
}

void measure(benchmark::State &state, const std::string &path,
             const inspect::Options &options) {
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    auto report = inspect::file(path, options);
    if (!report)
      return state.SkipWithError(report.error().text().c_str());
    bytes = report->package.unpacked_bytes;
  }
  state.counters["MB"] = static_cast<double>(bytes) / 1e6;
}

bool register_all() {
  for (const std::string &path : wheels()) {
    std::string name = std::filesystem::path(path).filename().string();
    name = name.substr(0, name.find("-"));
    auto add = [&](const std::string &what, auto &&...arguments) {
      benchmark::RegisterBenchmark((name + "/" + what).c_str(), arguments...)
          ->Unit(benchmark::kMillisecond)
          ->MeasureProcessCPUTime()
          ->UseRealTime();
    };
    inspect::Options inventory, kernels;
    inventory.digest = kernels.digest = false;
    kernels.analysis = inspect::Analysis::kernels;
    inspect::Options digest;
    add("unpack", measure_unpacking, path);
    add("inventory", measure, path, inventory);
    add("inventory with digest", measure, path, digest);
    add("kernels", measure, path, kernels);
  }
  return true;
}

const bool kRegistered = register_all();

} // namespace
