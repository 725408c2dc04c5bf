// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk: discover, read all bytes once, decode what is asked for, sum up.

#include "base/file.h"
#include "inspect/decode.h"
#include "inspect/found.h"
#include "inspect/summary.h"
#include "inspect/walk.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::inspect {

namespace {

// Each kernel of an object repeats its targets; hostile names are long.
constexpr std::size_t kNameMax = 64;

void note_conflicts(Report &report) {
  for (Kernel &k : report.kernels) {
    const Object &o = report.objects[k.object];
    if (o.target_consistency == "conflict")
      k.limitations.push_back(
          {"target-conflict",
           o.declared.empty()
               ? "the code object names different targets"
               : fmt::format("the container declares {}, the code object is {}",
                             o.declared.substr(0, kNameMax),
                             o.payload_target.substr(0, kNameMax)),
           std::nullopt});
  }
}

// Reasons that hold for many rows are stated once. They do not make an answer
// partial: nobody asked, or no file has the answer.
void note_unrecorded(Report &report) {
  bool undecoded = std::ranges::any_of(report.objects, [](const Object &o) {
    return o.kernel_analysis == Coverage::not_requested;
  });
  if (undecoded)
    report.limitations.push_back(
        {"not-decoded",
         "payloads are not decoded for an inventory; --analysis kernels reads "
         "them",
         std::nullopt});
  bool unstated = std::ranges::any_of(report.kernels, [](const Kernel &k) {
    return k.representation == "sass" && !k.dynamic_shared;
  });
  if (unstated)
    report.limitations.push_back(
        {"not-recorded",
         "linked cubins do not record the use of dynamic shared memory",
         std::nullopt});
}

bool has_damage(const Discovery &discovery) {
  return std::ranges::any_of(discovery.regions, [](const Region &region) {
    return std::ranges::any_of(region.units, [](const Unit &unit) {
      return unit.containers[0].coverage != Coverage::complete;
    });
  });
}

// Looks at all bytes for the digest and for what no name points to.
void read_everything(const Source &source, const Options &options,
                     Discovery &discovery, Report &report) {
  ContentSearch search(source, options.limits, discovery);
  PassWants wants;
  wants.digest = options.digest;
  // A file that is a container was walked from end to end, but damage in it can
  // hide what follows.
  if ((options.digest || options.deep) &&
      (!discovery.whole_file || has_damage(discovery)))
    wants.found = [&](const Hit &hit) { search.add(hit); };
  if (wants.digest || wants.found) {
    PassResult pass =
        read_all(source, wants, known_extents(discovery.regions), options);
    report.sha256 = std::move(pass.sha256);
    report.searched = !pass.damage && search.complete();
    if (pass.damage)
      report.limitations.push_back(limitation(*pass.damage));
  }
  if (discovery.whole_file)
    report.searched = true; // walked from end to end
  if (!report.searched && !options.digest && !options.deep)
    report.limitations.push_back(
        {"not-searched",
         "only headers and known sections were read; --deep or a digest "
         "searches all bytes",
         std::nullopt});
}

} // namespace

Result<Report> walk(const Source &source, const std::string &path,
                    const Options &options) {
  GANTRY_TRY(Selection selection, Selection::parse(options));
  Report report;
  report.path = path;
  report.size = source.size();
  report.analysis = options.analysis;
  WindowSource headers(source);
  Discovery discovery = discover(headers, options.limits);
  report.format = discovery.format;
  read_everything(source, options, discovery, report);
  sort_regions(discovery.regions);
  auto decoded = decode(source, discovery.regions, selection, options,
                        report.usage.decoded_bytes);
  if (!decoded)
    report.limitations.push_back(limitation(decoded.error()));
  report.limitations.insert(report.limitations.end(),
                            discovery.limitations.begin(),
                            discovery.limitations.end());
  assemble(std::move(discovery.regions), report);
  note_conflicts(report);
  add_target_rows(report);
  account(report);
  set_coverage(report);
  note_unrecorded(report);
  return report;
}

Result<Report> file(const std::string &path, const Options &options) {
  auto source = FileSource::open(path);
  if (!source)
    return std::unexpected(std::move(source).error().in(path));
  auto report = walk(**source, path, options);
  if (report)
    report->usage.bytes_read = (*source)->bytes_read();
  return report;
}

Result<Report> memory(Bytes bytes, const std::string &path,
                      const Options &options) {
  MemorySource source(bytes);
  auto report = walk(source, path, options);
  if (report)
    report->usage.bytes_read = bytes.size();
  return report;
}

} // namespace gantry::inspect
