// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/members.h"

#include "base/error.h"
#include "input/package.h"
#include "inspect/member_feed.h"
#include "inspect/pass.h"
#include "inspect/summary.h"
#include "inspect/walk.h"

#include <fmt/core.h>

#include <algorithm>

namespace gantry::inspect {

namespace {

// Ids stand before those of everything in a member, so they are not long.
// Paths of real wheels stay below 300 bytes.
constexpr std::uint64_t kMemberIdMax = 1024;

// Where in packages inside of packages a walk is.
struct Nest {
  std::uint32_t depth = 0;
  std::uint64_t id_bytes = kMemberIdMax; // that are left for ids here
  bool open_all = false;                 // members whatever their names
  PackageBudget *budget = nullptr;
};

// A member's report, and of a package how many members it has itself.
struct Part {
  Report report;
  std::uint64_t entries = 0;
};

Result<Part> walk_any(const Source &source, const std::string &path,
                      const Options &options, const Nest &nest);

// Stated once for a whole report, and not of a member.
bool is_general(const Limitation &l) {
  return l.code == "not-decoded" || l.code == "not-recorded" ||
         l.code == "not-searched" || l.code == "not-selected" ||
         l.code == "interrupted";
}

Limitation interrupted() {
  return {std::string(word(Errc::interrupted)),
          "stopped before all was looked at; what is here was read before",
          std::nullopt};
}

bool has_code(const std::vector<Limitation> &list, std::string_view code) {
  return std::ranges::find(list, code, &Limitation::code) != list.end();
}

// Makes positions in a member positions in the package.
class Prefix {
public:
  explicit Prefix(std::string member)
      : member_(std::move(member)), prefix_(member_ + '!') {}

  void add_to(Location &l) const {
    l.in = l.in.empty() ? member_ : prefix_ + l.in;
  }
  void add_to(Object &o) const {
    o.id.insert(0, prefix_);
    add_to(o.location);
    add_to(o.encoded_location);
    if (o.cuda_header)
      add_to(o.cuda_header->location);
  }
  void add_to(Container &c) const {
    c.id.insert(0, prefix_);
    add_to(c.location);
  }
  const std::string &text() const { return prefix_; }

private:
  std::string member_, prefix_;
};

// One report out of those of the members of a package.
class Merger {
public:
  Merger(Report &report, const Limits &limits)
      : report_(report), record_limit_(limits.records) {
    report.searched = true;
  }

  void add(OpenedMember &member, Part part);
  // Something about a member that could not be read at all.
  void add_unread(const OpenedMember &member);
  std::uint64_t records_left() const;
  // The limitations that stand once for all members.
  void finish();

private:
  Container container_of(const OpenedMember &member) const;
  void add_rows(const Prefix &prefix, std::uint32_t container, Report &part);
  void add_usage(const Usage &part);

  Report &report_;
  std::uint64_t record_limit_;
  std::vector<Limitation> general_;
};

std::uint64_t Merger::records_left() const {
  std::uint64_t used = report_.containers.size() + report_.objects.size() +
                       report_.kernels.size();
  return record_limit_ - std::min(used, record_limit_);
}

Container Merger::container_of(const OpenedMember &member) const {
  Container c;
  c.id = member.id;
  c.kind = ContainerKind::member;
  if (member.member.stored)
    c.location = {"", member.member.stored->offset, member.member.stored->size};
  c.compression = member.member.compression;
  if (member.damage)
    inspect::add(c, limitation(*member.damage));
  return c;
}

void Merger::add_unread(const OpenedMember &member) {
  report_.searched = false;
  report_.containers.push_back(container_of(member));
}

void Merger::add(OpenedMember &member, Part walked) {
  Report &part = walked.report;
  Container c = container_of(member);
  c.format = part.format;
  c.decoded_bytes = part.size;
  c.entries = walked.entries;
  for (Limitation &l : part.limitations) {
    if (!is_general(l))
      inspect::add(c, std::move(l));
    else if (!has_code(general_, l.code))
      general_.push_back(std::move(l));
  }
  report_.searched = report_.searched && part.searched;
  report_.package.members += part.package.members;
  report_.package.opened += part.package.opened + 1;
  report_.package.skipped += part.package.skipped;
  report_.package.unpacked_bytes += part.package.unpacked_bytes;
  add_usage(part.usage);
  if (part.containers.empty() && c.limitations.empty())
    return; // nothing to be said
  auto index = static_cast<std::uint32_t>(report_.containers.size());
  Prefix prefix(member.id);
  report_.containers.push_back(std::move(c));
  add_rows(prefix, index, part);
}

void Merger::add_rows(const Prefix &prefix, std::uint32_t container,
                      Report &part) {
  const std::uint32_t first_container = container + 1;
  const auto first_object = static_cast<std::uint32_t>(report_.objects.size());
  for (Container &c : part.containers) {
    prefix.add_to(c);
    c.parent = c.parent == kNone ? container : first_container + c.parent;
    report_.containers.push_back(std::move(c));
  }
  for (Object &o : part.objects) {
    prefix.add_to(o);
    o.container += first_container;
    report_.objects.push_back(std::move(o));
  }
  for (Kernel &k : part.kernels) {
    k.object += first_object;
    report_.kernels.push_back(std::move(k));
  }
}

void Merger::add_usage(const Usage &part) {
  Usage &u = report_.usage;
  u.accounted_bytes += part.accounted_bytes;
  u.decoded_bytes += part.decoded_bytes;
  u.object_bytes += part.object_bytes;
  u.compressed_together_bytes += part.compressed_together_bytes;
  u.container_bytes += part.container_bytes;
  u.padding_bytes += part.padding_bytes;
  u.other_bytes += part.other_bytes;
  u.overlap_bytes += part.overlap_bytes;
  u.objects_not_selected += part.objects_not_selected;
}

void Merger::finish() {
  for (Limitation &l : general_)
    if (!has_code(report_.limitations, l.code))
      report_.limitations.push_back(std::move(l));
}

// Nothing when the bytes are no package. Errors: they are, but cannot be
// opened.
Result<std::unique_ptr<input::Package>> open_package(const Source &source,
                                                     const std::string &name,
                                                     const Options &options,
                                                     const Nest &nest) {
  Buffer scratch;
  auto start = source.read_up_to(0, input::kPackageStart, scratch);
  if (!start || input::package_format(*start, name).empty())
    return nullptr;
  if (nest.depth >= options.limits.depth)
    return fail(Errc::too_large, 0, "packages in packages (limit depth)");
  input::Settings settings;
  settings.limits = options.limits;
  settings.unpacked_bytes = nest.budget->unpacked(nest.depth);
  settings.stop = options.stop;
  auto package = input::Package::open(source, name, settings);
  if (!package && package.error().code == Errc::bad_magic)
    return nullptr; // the magic was a coincidence
  return package;
}

// One package on its way into one report.
class PackageWalk {
public:
  PackageWalk(const Source &source, const std::string &path,
              const Options &options, const Nest &nest)
      : source_(source), path_(path), options_(options), nest_(nest),
        threads_(thread_count(options)), objects_(options.objects) {
    std::ranges::sort(objects_);
  }

  Result<Part> run(input::Package &package);

private:
  FeedOptions feed_options(const input::Package &package) const;
  Options member_options(const Prefix &prefix, std::uint64_t records) const;
  Result<void> add(OpenedMember &member, Merger &merger);
  void note(const input::Package &package, const MemberFeed &feed,
            Report &report) const;

  const Source &source_;
  const std::string &path_;
  const Options &options_;
  const Nest &nest_;
  unsigned threads_;
  std::vector<std::string> objects_; // ids asked for, sorted
};

FeedOptions PackageWalk::feed_options(const input::Package &package) const {
  FeedOptions out;
  out.threaded = threads_ > 1 && package.unpacks();
  out.deep = nest_.open_all;
  out.objects = objects_;
  out.limits = options_.limits;
  out.stop = options_.stop;
  out.id_bytes = nest_.id_bytes;
  return out;
}

Options PackageWalk::member_options(const Prefix &prefix,
                                    std::uint64_t records) const {
  Options out = options_;
  out.digest = false;
  out.deep = true; // searched by content
  out.progress = nullptr;
  out.threads = threads_; // the system is not asked for each member
  out.limits.records = records;
  out.objects.clear();
  for (auto id = std::ranges::lower_bound(objects_, prefix.text());
       id != objects_.end() && id->starts_with(prefix.text()); ++id)
    out.objects.push_back(id->substr(prefix.text().size()));
  if (options_.payload)
    out.payload = [this, &prefix](const Object &o, auto &&...rest) {
      Object outside = o;
      prefix.add_to(outside);
      options_.payload(outside, rest...);
    };
  if (options_.done)
    out.done = [this, &prefix](const Object &o, std::vector<Kernel> &kernels) {
      Object outside = o;
      prefix.add_to(outside);
      options_.done(outside, kernels);
    };
  return out;
}

Result<void> PackageWalk::add(OpenedMember &member, Merger &merger) {
  if (!member.source) {
    merger.add_unread(member);
    return {};
  }
  Prefix prefix(member.id);
  Options options = member_options(prefix, merger.records_left());
  Nest inside = nest_;
  inside.depth++;
  inside.id_bytes -= prefix.text().size();
  auto part = walk_any(*member.source, member.member.name, options, inside);
  if (!part && part.error().code == Errc::not_found && member.damage) {
    merger.add_unread(member); // the id may be in what is lost
    return {};
  }
  if (!part)
    return std::unexpected(std::move(part).error().in(member.id));
  merger.add(member, *std::move(part));
  return {};
}

// What is to be said of the package as a whole.
void PackageWalk::note(const input::Package &package, const MemberFeed &feed,
                       Report &report) const {
  const MemberCounts &counts = feed.counts();
  report.package.members += counts.members;
  report.package.skipped += counts.skipped;
  report.package.unpacked_bytes += counts.unpacked_bytes;
  if (auto ended = feed.ended()) {
    report.searched = false;
    report.limitations.push_back(
        ended->code == Errc::interrupted ? interrupted() : limitation(*ended));
  }
  if (package.thin() && counts.members != 0)
    report.limitations.push_back(
        {"thin-archive",
         fmt::format("a thin archive: its {} members are files of their own, "
                     "which are not read",
                     counts.members),
         std::nullopt});
  if (counts.long_names != 0)
    report.limitations.push_back(
        {"too-large",
         fmt::format("{} members are not opened: their names are too long",
                     counts.long_names),
         std::nullopt});
  if (counts.not_selected != 0)
    report.searched = false;
}

Result<Part> PackageWalk::run(input::Package &package) {
  Part out;
  Report &report = out.report;
  report.path = path_;
  report.size = source_.size();
  report.analysis = options_.analysis;
  report.format = package.format();
  report.package.format = package.format();
  Merger merger(report, options_.limits);
  MemberFeed feed(package, nest_.budget->unpacked(nest_.depth),
                  feed_options(package));
  while (OpenedMember *member = feed.next()) {
    if (merger.records_left() == 0) {
      report.searched = false;
      report.limitations.push_back(
          {"too-large",
           "containers, objects and kernels of all members (limit records)",
           std::nullopt});
      break;
    }
    GANTRY_CHECK(add(*member, merger));
    if (options_.progress)
      options_.progress(member->counts.position, source_.size());
  }
  note(package, feed, report);
  merger.finish();
  out.entries = feed.counts().members;
  return out;
}

Result<Part> walk_any(const Source &source, const std::string &path,
                      const Options &options, const Nest &nest) {
  auto package = open_package(source, path, options, nest);
  if (package && *package)
    return PackageWalk(source, path, options, nest).run(**package);
  GANTRY_TRY(Report report,
             walk(source, path, options, &nest.budget->payloads));
  if (!package)
    report.limitations.push_back(limitation(package.error()));
  return Part{std::move(report), 0};
}

// The digest of all bytes; what is in a package is not searched for in them.
PassResult read_digest(const Source &source, const Options &options) {
  PassWants wants;
  wants.digest = options.digest;
  return options.digest ? read_all(source, wants, {}, options) : PassResult();
}

// An id that is not there is an error, unless it can be in what was not read.
Result<void> check_ids(const Options &options, const Report &report) {
  bool unread =
      !report.limitations.empty() ||
      std::ranges::any_of(report.containers, [](const Container &c) {
        return c.kind == ContainerKind::member && !c.limitations.empty();
      });
  if (options.objects.empty() || unread)
    return {};
  GANTRY_TRY(Selection selection, Selection::parse(options));
  return selection.check_ids(report);
}

// What rows and coverage of all members together say.
void sum_up(Report &report) {
  std::vector<Limitation> harmless;
  std::erase_if(report.limitations, [&](Limitation &l) {
    if (l.code != "not-decoded" && l.code != "not-recorded")
      return l.code == "not-selected"; // counted anew
    harmless.push_back(std::move(l));
    return true;
  });
  add_target_rows(report);
  set_coverage(report);
  std::ranges::move(harmless, std::back_inserter(report.limitations));
}

} // namespace

Result<Report> walk_package(const Source &source, const std::string &path,
                            const Options &options, bool open_all) {
  PackageBudget budget(options.limits, source.size());
  Nest nest;
  nest.open_all = open_all;
  nest.budget = &budget;
  auto package = open_package(source, path, options, nest);
  if (!package || !*package) {
    GANTRY_TRY(Report report, walk(source, path, options));
    if (!package) {
      report.limitations.push_back(limitation(package.error()));
      report.coverage = Coverage::partial;
    }
    return report;
  }
  PassResult pass = read_digest(source, options);
  GANTRY_TRY(Part all, PackageWalk(source, path, options, nest).run(**package));
  Report &report = all.report;
  GANTRY_CHECK(check_ids(options, report));
  report.sha256 = std::move(pass.sha256);
  if (pass.damage && pass.damage->code != Errc::interrupted)
    report.limitations.push_back(limitation(*pass.damage));
  sum_up(report);
  return std::move(report);
}

} // namespace gantry::inspect
