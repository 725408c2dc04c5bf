// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/ar_package.h"

#include "base/error.h"
#include "format/ar.h"

namespace gantry::input {

namespace {

class ArPackage final : public Package {
public:
  ArPackage(const Source &source, ar::Archive archive)
      : source_(source), archive_(std::move(archive)) {}
  Result<void> open();

  std::string_view format() const override { return format_; }
  bool thin() const override { return archive_.thin(); }
  bool unpacks() const override { return false; }
  std::uint64_t position() const override {
    return present_.offset + (present_.stored ? present_.size : 0);
  }
  Result<std::optional<Member>> next() override;
  std::optional<Bytes> start() override;
  Result<Content> read(GrowingBuffer &buffer,
                       const Allowance &allowance) override;

private:
  const Source &source_;
  ar::Archive archive_;
  std::string_view format_ = "ar";
  std::optional<ar::Member> first_; // looked at for the format
  ar::Member present_;
  Buffer start_;
};

// What the first member is called tells Debian's packages.
Result<void> ArPackage::open() {
  GANTRY_TRY(first_, archive_.next());
  if (first_ && first_->name == "debian-binary")
    format_ = "deb";
  return {};
}

Result<std::optional<Member>> ArPackage::next() {
  if (first_) {
    present_ = *std::exchange(first_, std::nullopt);
  } else {
    GANTRY_TRY(std::optional<ar::Member> found, archive_.next());
    if (!found)
      return std::nullopt;
    present_ = *std::move(found);
  }
  Member member;
  member.name = present_.name;
  member.size = present_.size;
  if (present_.stored)
    member.stored = Stored{present_.offset, present_.size};
  return member;
}

std::optional<Bytes> ArPackage::start() {
  if (!present_.stored)
    return std::nullopt;
  auto bytes = source_.read_up_to(present_.offset,
                                  std::min(kStart, present_.size), start_);
  if (!bytes)
    return std::nullopt;
  return *bytes;
}

Result<Content> ArPackage::read(GrowingBuffer &, const Allowance &) {
  if (!present_.stored)
    return fail(Errc::not_found, present_.header_offset,
                "the bytes are in another file");
  return Content{
      std::make_unique<SliceSource>(source_, present_.offset, present_.size),
      present_.damage};
}

} // namespace

Result<std::unique_ptr<Package>> open_ar(const Source &source,
                                         const Settings &settings) {
  GANTRY_TRY(ar::Archive archive, ar::Archive::open(source, settings.limits));
  auto package = std::make_unique<ArPackage>(source, std::move(archive));
  GANTRY_CHECK(package->open());
  return package;
}

} // namespace gantry::input
