// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/pass.h"

#include "base/digest.h"
#include "inspect/test_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace gantry::inspect {
namespace {

constexpr std::size_t kMiB = 1 << 20; // a chunk

// A pass and what it found.
struct Pass : PassResult {
  std::vector<Hit> hits;
};

enum class Search { no, yes };

Pass pass(const Source &source, bool digest, Search search,
          const std::vector<Location> &known, const Options &options) {
  Pass out;
  PassWants wants;
  wants.digest = digest;
  if (search == Search::yes)
    wants.found = [&](const Hit &hit) { out.hits.push_back(hit); };
  static_cast<PassResult &>(out) = read_all(source, wants, known, options);
  return out;
}

std::vector<std::uint64_t> offsets(const Pass &r) {
  std::vector<std::uint64_t> out;
  for (const Hit &hit : r.hits)
    out.push_back(hit.offset);
  return out;
}

void put(Image &file, std::size_t at, const Image &what) {
  std::ranges::copy(what, file.begin() + static_cast<std::ptrdiff_t>(at));
}

Pass search(const Image &file, const std::vector<Location> &known = {},
            const Options &options = {}) {
  return pass(MemorySource(file), false, Search::yes, known, options);
}

TEST(Pass, FindsHitsAtEveryPlaceOfAChunkSeam) {
  // The longest header that decides, and the shortest.
  Image b = bundle_of({{amd_id("gfx1030"), zeros(8)}});
  Image f = fatbin_of({});
  ASSERT_GT(b.size(), kLookAhead / 2);
  for (const Image &what : {b, f})
    for (std::size_t before :
         {0, 1, 2, 3, 4, 15, 16, 17, 64, 125, 126, 127, 128, 129, 500}) {
      Image file = zeros(kMiB + 4096);
      put(file, kMiB - before, what);
      EXPECT_EQ(offsets(search(file)),
                std::vector<std::uint64_t>{kMiB - before})
          << before;
    }
}

TEST(Pass, FindsHitsAtTheVeryEnd) {
  Image f = fatbin_of({});
  for (std::size_t size : {f.size(), kMiB, kMiB + 3, kMiB + 17, kMiB + 500}) {
    Image file = zeros(size);
    put(file, size - f.size(), f);
    EXPECT_EQ(offsets(search(file)),
              std::vector<std::uint64_t>{size - f.size()});
  }
}

TEST(Pass, SaysWhichMagicItFound) {
  Image file = cubin_image() + fatbin_of({}) + ccob_of(bundle_of({}));
  Pass r = search(file);
  ASSERT_EQ(r.hits.size(), 3u);
  EXPECT_EQ(r.hits[0].magic, Magic::elf);
  EXPECT_EQ(r.hits[1].magic, Magic::fatbin);
  EXPECT_EQ(r.hits[2].magic, Magic::ccob);
}

TEST(Pass, LeavesOutWhatIsKnown) {
  Image file = zeros(2 * kMiB);
  for (std::size_t at : {100u, 200u, 300u, 1u << 20, (1u << 20) + 50})
    put(file, at, fatbin_of({}));
  EXPECT_EQ(offsets(search(file, {{{}, 200, 1}, {{}, 300, kMiB - 300 + 1}})),
            (std::vector<std::uint64_t>{100, kMiB + 50}));
  // An extent counts from its first byte to before its end.
  EXPECT_EQ(offsets(search(file, {{{}, 101, 99}, {{}, 201, 99}})).size(), 5u);
}

TEST(Pass, StopsToCollectAtTheLimitOfCandidates) {
  Image file;
  for (int i = 0; i < 5; i++)
    file = std::move(file) + fatbin_of({});
  Options options;
  options.limits.candidates = 5;
  EXPECT_FALSE(search(file, {}, options).damage);
  options.limits.candidates = 3;
  Pass r = pass(MemorySource(file), true, Search::yes, {}, options);
  EXPECT_EQ(offsets(r), (std::vector<std::uint64_t>{0, 16, 32}));
  ASSERT_TRUE(r.damage);
  EXPECT_EQ(r.damage->code, Errc::too_large);
  EXPECT_EQ(r.sha256.size(), 64u) << "the digest does not depend on it";
}

TEST(Pass, DoesNothingThatIsNotWanted) {
  Image file = fatbin_of({});
  Pass r = pass(MemorySource(file), true, Search::no, {}, {});
  EXPECT_TRUE(r.hits.empty());
  EXPECT_EQ(search(file).sha256, "");
}

Image random_file(std::size_t size) {
  Image file(size);
  std::mt19937_64 random(size);
  for (std::byte &b : file)
    b = static_cast<std::byte>(random());
  return file;
}

TEST(PassThreads, DigestIsThatOfTheWholeFile) {
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, kMiB - 1, kMiB,
                           kMiB + 1, 2 * kMiB + 4097}) {
    Image file = random_file(size);
    Sha256 whole;
    whole.update(file);
    for (unsigned threads : {1, 2, 5}) {
      Options options;
      options.threads = threads;
      Pass r = pass(MemorySource(file), true, Search::yes, {}, options);
      EXPECT_EQ(r.sha256, whole.hex()) << size << " " << threads;
      EXPECT_FALSE(r.damage);
    }
  }
}

TEST(PassThreads, FindTheSame) {
  Image file = random_file(3 * kMiB);
  for (std::size_t at = 7; at < file.size() - 100; at += 50'001)
    put(file, at, fatbin_of({}));
  Options one, many;
  one.threads = 1, many.threads = 8;
  Pass a = pass(MemorySource(file), true, Search::yes, {}, one);
  Pass b = pass(MemorySource(file), true, Search::yes, {}, many);
  EXPECT_EQ(offsets(a).size(), 3 * kMiB / 50'001 + 1);
  EXPECT_EQ(offsets(a), offsets(b));
  EXPECT_EQ(a.sha256, b.sha256);
}

// Fails from some place on.
class FailingSource final : public Source {
public:
  FailingSource(Bytes data, std::uint64_t limit) : data_(data), limit_(limit) {}
  std::uint64_t size() const override { return data_.size(); }
  Result<Bytes> read(std::uint64_t offset, std::uint64_t size,
                     Buffer &) const override {
    if (offset + size > limit_)
      return fail(Errc::io, offset, "Input/output error");
    return data_.subspan(offset, size);
  }

private:
  Bytes data_;
  std::uint64_t limit_;
};

TEST(PassThreads, KeepWhatStandsBeforeAReadThatFails) {
  Image file = zeros(8 * kMiB);
  put(file, 100, fatbin_of({}));
  put(file, 5 * kMiB + 100, fatbin_of({}));
  for (unsigned threads : {1, 4}) {
    Options options;
    options.threads = threads;
    Pass r =
        pass(FailingSource(file, 3 * kMiB), true, Search::yes, {}, options);
    ASSERT_TRUE(r.damage);
    EXPECT_EQ(r.damage->code, Errc::io);
    EXPECT_EQ(r.damage->offset, 3 * kMiB);
    EXPECT_EQ(r.sha256, "");
    EXPECT_EQ(offsets(r), std::vector<std::uint64_t>{100});
  }
}

TEST(PassThreads, StopWhenTheyAreAskedTo) {
  Image file = zeros(8 * kMiB);
  for (unsigned threads : {1, 4}) {
    std::stop_source stop;
    Options options;
    options.threads = threads;
    options.stop = stop.get_token();
    std::uint64_t done = 0;
    options.progress = [&](std::uint64_t at, std::uint64_t total) {
      done = at;
      EXPECT_EQ(total, 8 * kMiB);
      if (at == 2 * kMiB)
        stop.request_stop();
    };
    Pass r = pass(MemorySource(file), true, Search::yes, {}, options);
    ASSERT_TRUE(r.damage);
    EXPECT_EQ(r.damage->code, Errc::interrupted);
    EXPECT_EQ(r.damage->offset, 2 * kMiB);
    EXPECT_EQ(done, 2 * kMiB);
    EXPECT_EQ(r.sha256, "");
  }
}

} // namespace
} // namespace gantry::inspect
