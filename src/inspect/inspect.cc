// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk: discover, read all bytes once, decode what is asked for, sum up.

#include "base/file.h"
#include "inspect/decode.h"
#include "inspect/found.h"
#include "inspect/members.h"
#include "inspect/stoppable.h"
#include "inspect/summary.h"
#include "inspect/walk.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::inspect {

namespace {

// Reasons that hold for many rows are stated once. They do not make an answer
// partial: nobody asked, or no file has the answer.
void note_unrecorded(bool unstated_shared, Report &report) {
  bool undecoded = std::ranges::any_of(report.objects, [](const Object &o) {
    return o.kernel_analysis == Coverage::not_requested;
  });
  if (undecoded)
    report.limitations.push_back(
        {"not-decoded",
         "payloads are not decoded for an inventory; --analysis kernels reads "
         "them",
         std::nullopt});
  if (unstated_shared)
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
void read_everything(const StoppableSource &source, const Options &options,
                     Discovery &discovery, Report &report) {
  ContentSearch search(source, options.limits, discovery);
  PassWants wants;
  wants.digest = options.digest;
  // A file that is a container was walked from end to end, but damage in it can
  // hide what follows.
  if ((options.digest || options.deep) &&
      (!discovery.whole_file || has_damage(discovery)))
    wants.found = [&](const Hit &hit) { search.add(hit); };
  bool searched = discovery.whole_file;
  if (wants.digest || wants.found) {
    PassResult pass =
        read_all(source, wants, known_extents(discovery.regions), options);
    report.sha256 = std::move(pass.sha256);
    searched = searched || (!pass.damage && search.complete());
    if (pass.damage)
      report.limitations.push_back(limitation(*pass.damage));
  }
  report.searched = searched && !source.refused();
  if (!searched && !options.digest && !options.deep)
    report.limitations.push_back(
        {"not-searched",
         "only headers and known sections were read; --deep or a digest "
         "searches all bytes",
         std::nullopt});
}

// Each step that was left early says so; the report says it once.
void note_interrupt(bool interrupted, std::vector<Limitation> &limitations) {
  std::string_view code = word(Errc::interrupted);
  std::size_t count = std::erase_if(
      limitations, [&](const Limitation &l) { return l.code == code; });
  if (interrupted || count != 0)
    limitations.push_back({std::string(code),
                           "stopped before all was looked at; what is here "
                           "was read before",
                           std::nullopt});
}

bool is_digest(std::string_view text) {
  return text.size() >= 16 && text.size() <= 64 &&
         text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

std::string lower(std::string text) {
  for (char &c : text)
    if (c >= 'A' && c <= 'F')
      c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// What can be said of a file that was not looked at.
Report interrupted_report(const Source &source, const std::string &path,
                          const Options &options) {
  Report report;
  report.path = path;
  report.size = source.size();
  report.analysis = options.analysis;
  report.coverage = Coverage::partial;
  report.usage.accounted_bytes = report.size;
  report.usage.other_bytes = report.size;
  note_interrupt(true, report.limitations);
  return report;
}

Result<Report> inspect(const Source &source, const std::string &path,
                       const Options &options) {
  auto digest = verify(source, options);
  if (!digest && digest.error().code == Errc::interrupted)
    return interrupted_report(source, path, options);
  if (!digest)
    return std::unexpected(digest.error());
  if (digest->empty())
    return walk_package(source, path, options, options.deep);
  Options rest = options;
  rest.digest = false;
  rest.deep = true; // as the digest would have searched
  GANTRY_TRY(Report report, walk_package(source, path, rest, options.deep));
  report.sha256 = *digest;
  return report;
}

} // namespace

Result<std::string> verify(const Source &source, const Options &options) {
  if (options.expect_sha256.empty()) {
    if (!options.objects.empty())
      return fail(Errc::invalid_argument, 0,
                  "objects are chosen by id, but the file's SHA-256 is not "
                  "given: ids are positions in one file");
    return std::string();
  }
  if (!is_digest(options.expect_sha256))
    return fail(Errc::invalid_argument, 0,
                "an expected SHA-256 has 64 hexadecimal digits, or their first "
                "16 or more");
  if (!options.digest)
    return fail(Errc::invalid_argument, 0,
                "a SHA-256 is expected, but is not to be computed");
  PassWants wants;
  wants.digest = true;
  PassResult pass = read_all(source, wants, {}, options);
  if (pass.damage)
    return std::unexpected(*pass.damage);
  if (!pass.sha256.starts_with(lower(options.expect_sha256)))
    return fail(Errc::changed, 0,
                fmt::format("SHA-256 is {}, expected is {}", pass.sha256,
                            lower(options.expect_sha256)));
  return std::move(pass.sha256);
}

Result<Report> walk(const Source &whole, const std::string &path,
                    const Options &options, Allowance *shared) {
  GANTRY_TRY(Selection selection, Selection::parse(options));
  Report report;
  report.path = path;
  report.size = whole.size();
  report.analysis = options.analysis;
  StoppableSource source(whole, options.stop);
  WindowSource headers(source);
  Discovery discovery = discover(headers, options.limits);
  report.format = discovery.format;
  read_everything(source, options, discovery, report);
  sort_regions(discovery.regions);
  Allowance own = allowance(options.limits, whole.size());
  Decoded decoded = decode(whole, discovery.regions, selection, options,
                           shared ? *shared : own);
  report.usage.decoded_bytes = decoded.bytes;
  if (decoded.damage)
    report.limitations.push_back(limitation(*decoded.damage));
  report.limitations.insert(report.limitations.end(),
                            discovery.limitations.begin(),
                            discovery.limitations.end());
  note_interrupt(source.refused(), report.limitations);
  bool interrupted = !report.limitations.empty() &&
                     report.limitations.back().code == word(Errc::interrupted);
  assemble(std::move(discovery.regions), report);
  if (!interrupted)
    GANTRY_CHECK(selection.check_ids(report));
  add_target_rows(report);
  account(report);
  set_coverage(report);
  note_unrecorded(decoded.unstated_shared, report);
  return report;
}

Result<Report> file(const std::string &path, const Options &options) {
  auto source = FileSource::open(path);
  if (!source)
    return std::unexpected(std::move(source).error().in(path));
  auto report = inspect(**source, path, options);
  if (report)
    report->usage.bytes_read = (*source)->bytes_read();
  return report;
}

Result<Report> memory(Bytes bytes, const std::string &path,
                      const Options &options) {
  MemorySource source(bytes);
  auto report = inspect(source, path, options);
  if (report)
    report->usage.bytes_read = bytes.size();
  return report;
}

} // namespace gantry::inspect
