// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts and kernels are written as the run hands them out, in the order of
// objects; objects, containers, targets and the summary at its end.

#include "base/digest.h"
#include "base/text.h"
#include "report/document.h"
#include "report/evidence_blocks.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace gantry::report {

namespace {

using inspect::Kernel;
using inspect::Object;
using inspect::Report;

constexpr std::size_t kPiece = 64 << 10; // bytes of a text in one row

// Where the piece that starts at `begin` ends: before a character's first byte.
std::size_t piece_end(std::string_view text, std::size_t begin, bool utf8) {
  if (text.size() - begin <= kPiece)
    return text.size();
  std::size_t end = begin + kPiece;
  while (utf8 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    end--;
  return end;
}

// One retained text as rows.
class TextRows {
public:
  TextRows(const Object &object, Bytes bytes)
      : object_(object), text_(as_text(bytes)), utf8_(is_utf8(text_)),
        sha256_(object.digest) {
    if (!sha256_.empty())
      return;
    Sha256 digest;
    digest.update(bytes);
    sha256_ = digest.hex();
  }

  const std::string &sha256() const { return sha256_; }
  bool more() const { return at_ < text_.size(); }
  std::string next() {
    std::size_t end = piece_end(text_, at_, utf8_);
    std::string_view piece = text_.substr(at_, end - at_);
    std::string out;
    JsonWriter json(out, JsonWriter::Style::compact);
    json.begin_object();
    json.member("record", word(RowKind::text));
    json.member("object", object_.id);
    json.member("sha256", sha256_);
    json.member("offset", at_);
    json.member("bytes", piece.size());
    json.member("encoding", utf8_ ? "utf-8" : "hex");
    if (utf8_)
      json.member("text", piece);
    else
      json.member("text", hex(as_bytes(piece)));
    json.end_object();
    at_ = end;
    return out;
  }

private:
  const Object &object_;
  std::string_view text_;
  bool utf8_;
  std::string sha256_;
  std::size_t at_ = 0;
};

// A text that waits for its object's turn: a short one as its row, a long one
// compressed.
struct WaitingText {
  std::uint64_t bytes = 0;
  std::string sha256;
  std::string row;
  std::vector<PackedBlock> blocks;
};

// What one thread needs to compress.
struct Press {
  Compressor compressor;
  Buffer scratch;
};

} // namespace

struct EvidenceWriter::State {
  State(OutputFile out, std::string to)
      : path(std::move(to)), file(std::move(out)) {}

  void payload(const Object &object, Bytes bytes);
  void done(const Object &object, std::vector<Kernel> &kernels);
  void rest(const Report &report);

  std::string path;
  EvidenceIndex index; // without blocks

  // From the thread that has the turn.
  BlockWriter file;

private:
  struct ObjectRows {
    std::uint64_t first_kernel = 0;
    std::uint64_t kernel_rows = 0;
    std::optional<std::uint64_t> text_bytes;
  };

  Result<WaitingText> pack(const Object &object, Bytes bytes);
  std::unique_ptr<Press> take_press();
  std::optional<WaitingText> take_text(const std::string &object);
  void add_text(const Object &object, ObjectRows &rows);
  void add_kernel(const Report &report, std::size_t kernel);
  template <class Head>
  void add_row(RowKind kind, Collection collection, const Report &report,
               std::size_t i, std::uint64_t refers, Head head);
  void add_object(const Report &report, std::size_t i);
  void add_container(const Report &report, std::size_t i);
  void add_summary(const Report &report);

  std::string line_;
  std::vector<ObjectRows> objects_; // those whose turn has been

  std::mutex mutex_; // for all below
  std::map<std::string, Result<WaitingText>> texts_;
  std::vector<std::unique_ptr<Press>> presses_; // not in use
};

std::unique_ptr<Press> EvidenceWriter::State::take_press() {
  std::lock_guard lock(mutex_);
  if (presses_.empty())
    return std::make_unique<Press>();
  auto press = std::move(presses_.back());
  presses_.pop_back();
  return press;
}

Result<WaitingText> EvidenceWriter::State::pack(const Object &object,
                                                Bytes bytes) {
  WaitingText out;
  out.bytes = bytes.size();
  TextRows rows(object, bytes);
  out.sha256 = rows.sha256();
  if (rows.more())
    out.row = rows.next();
  if (!rows.more())
    return out;
  auto press = take_press();
  BlockRows block(RowKind::text);
  block.add(std::exchange(out.row, {}), 0);
  while (rows.more()) {
    block.add(rows.next(), 0);
    if (block.full() || !rows.more()) {
      auto packed = block.pack(press->compressor, press->scratch);
      if (!packed)
        return std::unexpected(std::move(packed).error());
      out.blocks.push_back(std::move(*packed));
    }
  }
  std::lock_guard lock(mutex_);
  presses_.push_back(std::move(press));
  return out;
}

void EvidenceWriter::State::payload(const Object &object, Bytes bytes) {
  if (object.kind != inspect::ObjectKind::ptx || object.obfuscated)
    return;
  auto text = pack(object, bytes);
  std::lock_guard lock(mutex_);
  texts_.emplace(object.id, std::move(text));
}

std::optional<WaitingText>
EvidenceWriter::State::take_text(const std::string &object) {
  std::lock_guard lock(mutex_);
  auto node = texts_.extract(object);
  if (!node)
    return std::nullopt;
  if (!node.mapped()) {
    file.refuse(std::move(node.mapped()).error());
    return std::nullopt;
  }
  return *std::move(node.mapped());
}

void EvidenceWriter::State::add_text(const Object &object, ObjectRows &rows) {
  auto text = take_text(object.id);
  // A limit may have taken back what was found in the payload.
  if (!text || text->sha256 != object.digest)
    return;
  rows.text_bytes = text->bytes;
  const std::uint64_t row = objects_.size();
  if (!text->row.empty())
    file.add(RowKind::text, text->row, row);
  for (PackedBlock &packed : text->blocks) {
    packed.block.refers_first = packed.block.refers_last = row;
    file.add(std::move(packed));
  }
}

void EvidenceWriter::State::done(const Object &object,
                                 std::vector<Kernel> &kernels) {
  ObjectRows rows;
  rows.first_kernel = file.rows(RowKind::kernel);
  rows.kernel_rows = kernels.size();
  add_text(object, rows);
  // The tables of fields look at reports.
  Report report;
  report.objects.push_back(object);
  report.kernels.swap(kernels);
  for (std::size_t i = 0; i < report.kernels.size(); i++) {
    std::uint32_t was = std::exchange(report.kernels[i].object, 0);
    add_kernel(report, i);
    report.kernels[i].object = was;
  }
  report.kernels.swap(kernels);
  objects_.push_back(rows);
}

template <class Head>
void EvidenceWriter::State::add_row(RowKind kind, Collection collection,
                                    const Report &report, std::size_t i,
                                    std::uint64_t refers, Head head) {
  line_.clear();
  JsonWriter json(line_, JsonWriter::Style::compact);
  json.begin_object();
  json.member("record", word(kind));
  json.member("row", file.rows(kind));
  head(json);
  json.key("value");
  json.begin_object();
  for (const Field &field : field_table(collection))
    write(field, report, i, json);
  json.end_object();
  json.end_object();
  file.add(kind, line_, refers);
}

void EvidenceWriter::State::add_kernel(const Report &report, std::size_t i) {
  const std::uint64_t object = objects_.size();
  add_row(RowKind::kernel, Collection::kernels, report, i, object,
          [&](JsonWriter &json) { json.member("object_row", object); });
}

void EvidenceWriter::State::add_object(const Report &report, std::size_t i) {
  const Object &o = report.objects[i];
  const ObjectRows &rows = objects_[i];
  add_row(RowKind::object, Collection::objects, report, i, o.container,
          [&](JsonWriter &json) {
            json.member("container_row", o.container);
            json.member("selected", o.selected);
            json.member("first_kernel", rows.first_kernel);
            json.member("kernel_rows", rows.kernel_rows);
            json.member("text_bytes", rows.text_bytes);
          });
}

void EvidenceWriter::State::add_container(const Report &report, std::size_t i) {
  const std::uint32_t parent = report.containers[i].parent;
  add_row(RowKind::container, Collection::containers, report, i, 0,
          [&](JsonWriter &json) {
            if (parent == inspect::kNone)
              json.null_member("parent_row");
            else
              json.member("parent_row", parent);
          });
}

void EvidenceWriter::State::add_summary(const Report &report) {
  line_.clear();
  JsonWriter json(line_, JsonWriter::Style::compact);
  json.begin_object();
  json.member("record", word(RowKind::summary));
  json.member("row", 0);
  json.key("value");
  json.begin_object();
  write_facts(report, View(), json);
  json.end_object();
  json.end_object();
  file.add(RowKind::summary, line_, 0);
}

void EvidenceWriter::State::rest(const Report &report) {
  if (objects_.size() > report.objects.size())
    return file.refuse({Errc::invalid_argument,
                        0,
                        "the report has fewer objects than the run",
                        {}});
  // Objects that no hook was called for.
  auto kernel = std::ranges::lower_bound(report.kernels, objects_.size(), {},
                                         &Kernel::object);
  while (objects_.size() < report.objects.size()) {
    ObjectRows rows;
    rows.first_kernel = file.rows(RowKind::kernel);
    for (; kernel != report.kernels.end() && kernel->object == objects_.size();
         ++kernel, rows.kernel_rows++)
      add_kernel(report,
                 static_cast<std::size_t>(kernel - report.kernels.begin()));
    objects_.push_back(rows);
  }
  for (std::size_t i = 0; i < report.objects.size(); i++)
    add_object(report, i);
  for (std::size_t i = 0; i < report.containers.size(); i++)
    add_container(report, i);
  for (std::size_t i = 0; i < report.targets.size(); i++)
    add_row(RowKind::target, Collection::targets, report, i, 0,
            [](JsonWriter &) {});
  add_summary(report);
}

EvidenceWriter::EvidenceWriter(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
EvidenceWriter::~EvidenceWriter() = default;
EvidenceWriter::EvidenceWriter(EvidenceWriter &&) noexcept = default;
EvidenceWriter &EvidenceWriter::operator=(EvidenceWriter &&) noexcept = default;

Result<EvidenceWriter> EvidenceWriter::create(const std::string &path) {
  auto out = OutputFile::create(path);
  if (!out)
    return std::unexpected(std::move(out).error().in(path));
  return EvidenceWriter(std::make_unique<State>(std::move(*out), path));
}

void EvidenceWriter::install(inspect::Options &options) {
  options.analysis = inspect::Analysis::kernels;
  options.attributes = true;
  options.demangled = true; // by the threads that decode
  options.parameters = true;
  options.payload_digests = true;
  EvidenceIndex &index = state_->index;
  index.targets = options.targets;
  index.kinds = options.kinds;
  index.kernels = options.kernels;
  index.objects = options.objects;
  index.digest = options.digest;
  index.deep = options.deep;
  State *state = state_.get(); // stays where it is
  options.payload = [state, then = std::move(options.payload)](
                        const Object &object, Bytes bytes) {
    state->payload(object, bytes);
    if (then)
      then(object, bytes);
  };
  options.done = [state, then = std::move(options.done)](
                     const Object &object, std::vector<Kernel> &kernels) {
    state->done(object, kernels);
    if (then)
      then(object, kernels);
  };
}

Result<void> EvidenceWriter::finish(const Report &report) {
  state_->index.input = report.path;
  state_->index.input_size = report.size;
  state_->index.input_sha256 = report.sha256;
  state_->rest(report);
  auto done = state_->file.finish(std::move(state_->index));
  if (!done)
    return std::unexpected(std::move(done).error().in(state_->path));
  return {};
}

} // namespace gantry::report
