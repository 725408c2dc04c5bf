// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of a saved record: one line of JSON each, into a part of the model.
#pragma once

#include "report/evidence_index.h"
#include "report/evidence_values.h"

namespace gantry::report {

// Fields of a row that follow from other rows. They are compared with what the
// model gives once it has all of these.
struct Claim {
  std::string_view field;
  JsonValue value;
};

// A part of the model, and what its row says beside it. Rows are those of the
// whole record.
template <class T> struct EvidenceRow {
  T part;
  // Kernels: the object. Objects: the container. Containers: the parent.
  std::optional<std::uint64_t> owner;
  std::vector<Claim> claims;
};

// What an object has in other rows.
struct ObjectRows {
  std::uint64_t first_kernel = 0;
  std::uint64_t kernel_rows = 0;
  std::optional<std::uint64_t> text_bytes; // of the retained text
};

struct EvidenceObject : EvidenceRow<inspect::Object> {
  ObjectRows rows;
};

struct TextPiece {
  std::string object; // id
  std::string sha256; // of the whole text
  std::uint64_t offset = 0;
  std::string bytes;
  bool utf8 = true;
};

// A line, and where it comes from.
struct EvidenceLine {
  std::string_view text;
  std::uint64_t row = 0; // of its kind
  const EvidenceBlock *block = nullptr;

  std::string name() const; // "kernel 12"
};

using TargetLine = EvidenceRow<inspect::TargetRow>;
using ContainerLine = EvidenceRow<inspect::Container>;
using KernelLine = EvidenceRow<inspect::Kernel>;

Result<TargetLine> read_target(const EvidenceLine &, const Limits &);
Result<ContainerLine> read_container(const EvidenceLine &, const Limits &);
Result<EvidenceObject> read_object(const EvidenceLine &, const Limits &);
Result<KernelLine> read_kernel(const EvidenceLine &, const Limits &);
Result<TextPiece> read_text(const EvidenceLine &, const Limits &);
// The report without its collections.
Result<inspect::Report> read_summary(const EvidenceLine &, const Limits &);

std::unexpected<Error> bad_row(const EvidenceLine &, std::string_view why);

} // namespace gantry::report
