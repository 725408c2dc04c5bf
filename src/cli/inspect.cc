// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gantry inspect FILE…
#include "cli/inspect.h"

#include "base/text.h"
#include "cli/console.h"
#include "cli/status.h"
#include "gantry/target.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

namespace gantry::cli {

namespace {

using report::Collection;

bool contains(const auto &list, const auto &item) {
  return std::ranges::find(list, item) != list.end();
}

std::expected<void, Failure> check_target(const std::string &text) {
  if (parse_target(text) || parse_entry_id(text).target)
    return {};
  const std::vector<std::string> known = known_target_names();
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  return refuse(fmt::format("{} is not the name of a target", printable(text)),
                did_you_mean(text, candidates,
                             "names look like sm_90a, compute_90 or "
                             "gfx90a:xnack+; gantry explain targets"));
}

std::expected<void, Failure> check_field(const std::string &name,
                                         const report::View &view) {
  std::vector<std::string_view> known;
  std::string shown;
  for (Collection collection : view.show) {
    for (std::string_view field : report::fields(collection))
      known.push_back(field);
    shown += (shown.empty() ? "" : ", ") + std::string(word(collection));
  }
  if (contains(known, name))
    return {};
  return refuse(
      fmt::format("{} have no field {}", shown, printable(name)),
      did_you_mean(name, known, "gantry explain fields lists the fields"));
}

std::expected<inspect::Analysis, Failure>
analysis_of(const Arguments &arguments, const report::View &view) {
  const bool needs_kernels =
      contains(view.show, Collection::kernels) || arguments.has("kernel");
  const std::string_view asked = arguments.value("analysis");
  if (needs_kernels && asked == "inventory")
    return refuse("--analysis inventory does not read kernels",
                  "leave --analysis out: --show kernels and --kernel imply "
                  "--analysis kernels");
  return needs_kernels || asked == "kernels" ? inspect::Analysis::kernels
                                             : inspect::Analysis::inventory;
}

// A misspelt number is a well-formed name, too.
void tell_unknown_targets(const Console &console,
                          const std::vector<std::string> &targets) {
  for (const std::string &text : targets) {
    const auto parsed = parse_target(text);
    if (!parsed)
      continue;
    const Target &target = parsed->target;
    const bool known = target.vendor == Vendor::nvidia
                           ? find_sm(target.sm) != nullptr
                       : target.vendor == Vendor::amd
                           ? find_amd_processor(target.processor) != nullptr
                           : true;
    if (!known)
      console.note(fmt::format("{} is no target that gantry knows; it is "
                               "looked for all the same",
                               printable(text)));
  }
}

// --output must not destroy what is being looked at.
std::expected<void, Failure> check_output(const Arguments &arguments) {
  const std::string output(arguments.value("output"));
  for (const std::string &path : arguments.operands()) {
    std::error_code ignored;
    if (!output.empty() && std::filesystem::equivalent(output, path, ignored))
      return refuse(fmt::format("{} is an input, --output would replace it",
                                printable(path)));
  }
  return {};
}

} // namespace

std::expected<InspectRequest, Failure>
inspect_request(const Arguments &arguments) {
  InspectRequest request;
  if (auto good = check_output(arguments); !good)
    return std::unexpected(good.error());
  if (arguments.has("show"))
    request.view.show.clear();
  else if (arguments.has("kernel"))
    request.view.show = {Collection::kernels};
  for (const std::string &name : arguments.values("show"))
    if (const auto collection = report::collection_from(name);
        collection && !contains(request.view.show, *collection))
      request.view.show.push_back(*collection);
  request.view.fields = arguments.values("fields");
  for (const std::string &name : request.view.fields)
    if (auto good = check_field(name, request.view); !good)
      return std::unexpected(good.error());

  const auto analysis = analysis_of(arguments, request.view);
  if (!analysis)
    return std::unexpected(analysis.error());
  inspect::Options &options = request.options;
  options.analysis = *analysis;
  options.targets = arguments.values("target");
  for (const std::string &text : options.targets)
    if (auto good = check_target(text); !good)
      return std::unexpected(good.error());
  for (const std::string &name : arguments.values("kind"))
    if (const auto kind = inspect::object_kind_from(name))
      options.kinds.push_back(*kind);
  options.kernels = arguments.values("kernel");
  options.digest = !arguments.has("no-digest");
  options.deep = arguments.has("deep");
  options.threads = arguments.count("jobs").value_or(0);
  const auto &fields = request.view.fields;
  // Digests cost a pass over each payload: only where somebody sees them.
  options.payload_digests =
      contains(request.view.show, Collection::objects) &&
      (fields.empty() ? arguments.has("json") &&
                            options.analysis == inspect::Analysis::kernels
                      : contains(fields, "digest"));
  options.attributes =
      contains(request.view.show, Collection::kernels) &&
      (fields.empty() ? arguments.has("json") : contains(fields, "attributes"));
  return request;
}

namespace {

Result<inspect::Report> look_at(const std::string &path,
                                inspect::Options options,
                                const Console &console) {
  Progress progress(console, path);
  if (console.shows_progress())
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
      progress.show(done, total);
    };
  return inspect::file(path, options);
}

void tell(const Console &console, const std::string &path,
          const std::string &where, const inspect::Limitation &limitation) {
  std::string line = printable(path);
  if (!where.empty())
    line += "!" + printable(where);
  line += ": " + printable(limitation.message);
  if (limitation.offset)
    line += fmt::format(" (at byte {:#x})", *limitation.offset);
  console.note(fmt::format("{} [{}]", line, printable(limitation.code)));
}

// --verbose: all that is not known.
void tell_limitations(const Console &console, const inspect::Report &report) {
  for (const auto &one : report.limitations)
    tell(console, report.path, {}, one);
  for (const auto &container : report.containers)
    for (const auto &one : container.limitations)
      tell(console, report.path, container.id, one);
  for (const auto &object : report.objects)
    for (const auto &one : object.limitations)
      tell(console, report.path, object.id, one);
  for (const auto &kernel : report.kernels)
    for (const auto &one : kernel.limitations)
      tell(console, report.path,
           kernel.object == inspect::kNone
               ? kernel.name
               : report.objects[kernel.object].id + ": " + kernel.name,
           one);
}

Failure failure_of_input(const std::string &path, const Error &error) {
  Failure failure = failure_from(error);
  failure.message = printable(failure.message);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    failure.hint = "name the files in it";
  return failure;
}

// Text of each input as soon as it is known; only JSON of several inputs has to
// wait for all of them.
class InspectRun {
public:
  InspectRun(const Arguments &arguments, const InspectRequest &request,
             Console &console, Output &output)
      : paths_(arguments.operands()), strict_(arguments.has("strict")),
        request_(request), console_(console), output_(output) {}

  int run() {
    for (const std::string &path : paths_)
      one(path);
    if (console_.json && paths_.size() > 1)
      report::json(inputs_, request_.view, output_);
    return exit_status(answers_);
  }

private:
  void one(const std::string &path) {
    auto report = look_at(path, request_.options, console_);
    if (report && console_.verbose)
      tell_limitations(console_, *report);
    answers_.push_back(
        report ? answer(*report, !request_.options.kernels.empty(), strict_)
               : Answer::failed);
    if (!report)
      console_.complain(failure_of_input(path, report.error()));
    if (console_.json && paths_.size() > 1)
      inputs_.push_back({path, std::move(report)});
    else if (console_.json && report)
      report::json(*report, request_.view, output_);
    else if (console_.json)
      output_.write(failure_document(failure_of_input(path, report.error()),
                                     console_.schema, path));
    else if (report)
      text(*report);
  }

  void text(const inspect::Report &report) {
    if (printed_)
      output_.write("\n");
    report::text(report, request_.view, output_);
    printed_ = true;
  }

  const std::vector<std::string> &paths_;
  bool strict_;
  const InspectRequest &request_;
  Console &console_;
  Output &output_;
  bool printed_ = false;
  std::vector<report::Input> inputs_;
  std::vector<Answer> answers_;
};

int run(const Arguments &arguments, Console &console) {
  console.quiet = arguments.has("quiet");
  console.verbose = arguments.has("verbose");
  auto request = inspect_request(arguments);
  if (!request)
    return console.fail(request.error());
  tell_unknown_targets(console, request->options.targets);
  const std::string_view path = arguments.value("output");
  auto output = Output::open(path);
  if (!output)
    return console.fail(output.error());
  if (output->is_file()) {
    request->view.width = 0;
    request->view.color = arguments.value("color") == "always";
  } else {
    request->view.width = console.width();
    request->view.color = console.color(arguments.value("color"));
  }
  const int status = InspectRun(arguments, *request, console, *output).run();
  if (const auto done = output->finish(); !done) {
    console.complain(done.error());
    return kStatusError;
  }
  return status;
}

constexpr std::string_view kAnalysisGroup = "What is analysed";
constexpr std::string_view kSelectionGroup = "What is selected";
constexpr std::string_view kShowGroup = "What is shown";

constexpr std::string_view kAnalysisWords[] = {"inventory", "kernels"};
constexpr std::string_view kShowWords[] = {"targets", "objects", "kernels",
                                           "containers"};

constexpr Option kOptions[] = {
    {.name = "show",
     .value = "WHAT",
     .kind = ValueKind::choice,
     .help = "targets (default), objects, kernels or containers. kernels "
             "implies --analysis kernels.",
     .group = kShowGroup,
     .repeatable = true,
     .list = true,
     .choices = kShowWords},
    {.name = "fields",
     .value = "A,B,C",
     .kind = ValueKind::field,
     .help = "Only these fields, in this order; gantry explain fields lists "
             "them.",
     .group = kShowGroup,
     .repeatable = true,
     .list = true},
    {.name = "analysis",
     .value = "HOW",
     .kind = ValueKind::choice,
     .help = "inventory (default) reads headers; kernels decodes the selected "
             "code objects and reads the kernels in them.",
     .group = kAnalysisGroup,
     .choices = kAnalysisWords},
    {.name = "no-digest",
     .help = "Do not read the whole file for its SHA-256 and for code in "
             "unknown places. Much faster; coverage then is partial.",
     .group = kAnalysisGroup},
    {.name = "deep",
     .help = "Search the whole file for code even with --no-digest.",
     .group = kAnalysisGroup},
    {.name = "strict",
     .help = "Partial coverage is a failure: exit status 3.",
     .group = kAnalysisGroup},
    {.name = "target",
     .value = "T",
     .kind = ValueKind::target,
     .help = "Only code made for T: sm_90a, compute_90 (PTX), gfx90a:xnack+ or "
             "a whole bundle entry id.",
     .group = kSelectionGroup,
     .repeatable = true,
     .list = true},
    {.name = "kind",
     .value = "K",
     .kind = ValueKind::choice,
     .help = "Only code objects of this kind: cubin, ptx, lto-ir, amdgpu, "
             "bitcode, spirv, sycl-image, tile-ir, unknown.",
     .group = kSelectionGroup,
     .repeatable = true,
     .list = true,
     .choices = kKindWords},
    {.name = "kernel",
     .value = "NAME",
     .kind = ValueKind::kernel,
     .help = "Only the kernel of this name, as in the file or as in the "
             "source; implies --analysis kernels.",
     .group = kSelectionGroup,
     .repeatable = true},
    kJson,
    kOutput,
    kJobs,
    kQuiet,
    kVerbose,
    kColor,
};

constexpr Status kStatuses[] = {
    {0, "GPU code (with --kernel: a kernel of that name) was found."},
    {1, "Nothing was found, and everything was looked at."},
    {2, "Error: wrong usage, no file could be read, or writing failed."},
    {3, "Some files could not be read, the others were done; with --strict "
        "also: not all of a file was looked at."},
    {4, "Nothing was found, but not all was looked at (--no-digest, a "
        "selection, damage, a limit)."},
};

constexpr Example kExamples[] = {
    {"gantry inspect libtorch_cuda.so",
     "Which targets does this library carry code for?"},
    {"gantry inspect --show kernels --target sm_90 libmine.so",
     "Registers, shared memory and parameters of the kernels for one target."},
    {"gantry inspect --kernel 'axpy(float, float*)' libmine.so",
     "Which targets have this kernel?"},
    {"gantry inspect --json --show objects,kernels -o facts.json a.so b.so",
     "Everything about two files, for a program."},
};

} // namespace

constinit const Verb kInspect{
    .name = "inspect",
    .group = "Look into files",
    .summary = "what GPU code is in this file, for which targets",
    .about =
        "Reads CUDA fat binaries, cubins, PTX, HIP bundles (also compressed) "
        "and AMDGPU code objects, alone or inside ELF files. Nothing is "
        "executed, and neither a GPU nor a vendor's tool is needed.\n\n"
        "What is analysed, selected and shown are separate: with --analysis "
        "kernels --show targets the rows of targets count kernels.",
    .operand = {"FILE", ValueKind::path, 1, SIZE_MAX},
    .options = kOptions,
    .statuses = kStatuses,
    .examples = kExamples,
    .topics = "targets, kinds, containers, coverage, limitations, fields",
    .run = run};

} // namespace gantry::cli
