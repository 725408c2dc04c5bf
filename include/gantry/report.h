// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views of an inspection: text for a terminal, JSON and NDJSON for programs.
#pragma once

#include "gantry/inspect.h"

#include <memory>

namespace gantry::report {

enum class Collection { targets, objects, kernels, containers };
std::string_view word(Collection);
std::optional<Collection> collection_from(std::string_view);

// Which fields: a short choice, or all (text: a block of lines per row).
enum class Detail {
  by_form, // text has the short choice, JSON all
  summary,
  full
};

// A part of the one collection that is shown.
struct Page {
  std::uint64_t first = 0;                 // rows before it
  std::uint64_t limit = UINT64_MAX;        // rows in it, at most
  std::uint64_t rows = 0;                  // in it
  std::optional<std::uint64_t> total = {}; // of the whole collection; nullopt:
                                           // not known (interrupted)
  std::string next = {};     // cursor of the page that follows; "" at the end
  std::uint64_t dropped = 0; // of the rows before it, those that the report
                             // does not hold any more
};

struct View {
  std::string_view schema = "gantry.inspect/1";
  std::vector<Collection> show = {Collection::targets};
  // Fields of the shown collections, in this order; empty: `detail` says.
  std::vector<std::string> fields;
  Detail detail = Detail::by_form;
  std::optional<Page> page;
  std::size_t width = 80; // of the terminal; 0: unlimited
  bool color = false;
};

// One output stream that remembers whether it failed.
class Sink {
public:
  virtual ~Sink() = default;
  virtual void write(std::string_view text) = 0;
};

// All field names of a collection, in output order.
std::vector<std::string_view> fields(Collection);

// How many rows the report has: of objects, those that are selected.
std::uint64_t count(const inspect::Report &, Collection);

// Errors: invalid_argument for a field that no shown collection has.
Result<void> check(const View &);

// An input that could not be looked at, or, without a path, a request that
// cannot be.
struct Failed {
  std::string path;
  Errc code = Errc::io;
  std::string message;
  std::string hint; // may be empty
};

// A part of the text of one object.
struct TextPart {
  std::string object;      // its id
  std::string sha256;      // of the whole text
  std::uint64_t bytes = 0; // of the whole text
  std::uint64_t offset = 0;
  std::string_view text;
  std::optional<std::uint64_t> next; // offset of what follows
};

// ---- JSON: docs/schema/inspect-1.json ---------------------------------------

void json(const inspect::Report &, const View &, Sink &);
void json(const inspect::Report &, const TextPart &, const View &, Sink &);
void json(const Failed &, const View &, Sink &);

// Several documents: {"schema", "inputs": [documents], "summary"}, each written
// as it comes.
class Documents {
public:
  Documents(const View &, Sink &);
  ~Documents();
  void add(const inspect::Report &);
  void add(const Failed &);
  void end();

private:
  struct State;
  std::unique_ptr<State> state_;
};

// NDJSON, one record a line. Rows come first, the summary last.
class Records {
public:
  // `several` inputs: each record says which input it belongs to.
  Records(const View &, bool several, Sink &);
  ~Records();
  // The rows of one collection.
  void rows(const inspect::Report &, Collection);
  // Rows of kernels as they come; `Kernel::object` need not count yet.
  void kernels(std::string_view path, const inspect::Object &,
               std::span<const inspect::Kernel>);
  void text(const inspect::Report &, const TextPart &);
  // What is known of an input beside its rows: of the only one, the summary.
  void end_input(const inspect::Report &);
  void add(const Failed &);
  // After the last input.
  void end();

private:
  struct State;
  std::unique_ptr<State> state_;
};

// ---- text -------------------------------------------------------------------

void text(const inspect::Report &, const View &, Sink &);

// ---- Saved records, "gantry.evidence/1" (docs/evidence.md): everything that a
// run found out, in a file that answers the same questions later.

// Writes a record while the run goes on; memory does not grow with the number
// of kernels or the size of texts.
//
//   GANTRY_TRY(auto evidence, EvidenceWriter::create(path));
//   evidence.install(options); // after all other hooks are set
//   auto report = inspect::file(input, options);
//   if (report) GANTRY_CHECK(evidence.finish(*report));
class EvidenceWriter {
public:
  // Nothing is at `path` before finish(), and without it nothing changes.
  static Result<EvidenceWriter> create(const std::string &path);
  ~EvidenceWriter();
  EvidenceWriter(EvidenceWriter &&) noexcept;
  EvidenceWriter &operator=(EvidenceWriter &&) noexcept;

  // Asks for all that a complete record has (analysis of kernels, attributes,
  // payload digests) and sets the hooks `payload` and `done`. Hooks that are
  // there already are called after ours, so that a page may drop kernels.
  // The writer must outlive the run, but may be moved.
  void install(inspect::Options &options);

  // Writes the rest and puts the file in its place. Kernels of objects that
  // `done` was called for are not taken from the report. Errors: io, also of
  // writes during the run.
  Result<void> finish(const inspect::Report &report);

private:
  struct State;
  explicit EvidenceWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Which rows of a record. The members of the selection are those of
// inspect::Options; recorded rows that they do not select are passed over.
struct EvidenceQuery {
  Collection show = Collection::targets;
  std::vector<std::string> targets;
  std::vector<inspect::ObjectKind> kinds;
  std::vector<std::string> kernels;
  std::vector<std::string> objects; // ids; one that is not there: not_found
  std::uint64_t first = 0;          // selected rows before the page
  std::uint64_t limit = UINT64_MAX; // rows in it, at most
};

// A report with the rows of one collection, to be printed with that collection
// as View::show. The other collections hold what these rows refer to. All else
// is as the record says of the whole run.
struct EvidencePage {
  inspect::Report report;
  // Rows of the collection that stand in the report before those of the page:
  // containers around them. Page::dropped is `first` less these.
  std::uint64_t before = 0;
  std::uint64_t total = 0; // rows that are selected
};

struct EvidenceText {
  std::string object;     // id
  std::string sha256;     // of the whole text
  std::uint64_t size = 0; // of the whole text
  std::uint64_t offset = 0;
  std::string bytes;
};

// Reads a record, which may be hostile: each part is checked against its
// digest, and its rows against the schema and what they refer to, before it is
// handed out. What a question does not need is not read. For one thread.
// Errors: io; bad_magic (no record), unsupported (another version), truncated,
// corrupt (a digest), bad_value (names record, row and field), too_large.
class Evidence {
public:
  struct Totals {
    std::uint64_t containers = 0;
    std::uint64_t objects = 0;
    std::uint64_t kernels = 0;
    std::uint64_t targets = 0;
    std::uint64_t texts = 0; // pieces
  };

  static Result<Evidence> open(const std::string &path,
                               const Limits &limits = {});
  // `bytes` must outlive it.
  static Result<Evidence> memory(Bytes bytes, const Limits &limits = {});
  ~Evidence();
  Evidence(Evidence &&) noexcept;
  Evidence &operator=(Evidence &&) noexcept;

  // The input of the run. `sha256` is "" when it was not computed.
  const std::string &input() const;
  std::uint64_t input_size() const;
  const std::string &sha256() const;
  const Totals &totals() const;

  // The report without its collections.
  Result<inspect::Report> summary() const;
  // Errors also: not_found, invalid_argument (a target that cannot be parsed).
  Result<EvidencePage> page(const EvidenceQuery &query) const;
  // All collections at once; `show`, `first` and `limit` do not count. Objects
  // that are not selected are there and marked.
  Result<inspect::Report> report(const EvidenceQuery &query = {}) const;
  // Bytes [offset, offset + length), as far as there are any, of a retained
  // text. Errors also: not_found (no such object, or none with a text),
  // invalid_argument (an offset behind the end; a begin or end in the middle of
  // a character).
  Result<EvidenceText> text(const std::string &object, std::uint64_t offset,
                            std::uint64_t length) const;
  // Reads and checks everything, also what only all rows together can break.
  Result<void> verify() const;

private:
  struct State;
  explicit Evidence(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace gantry::report
