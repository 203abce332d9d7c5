#include "common/io/gunzip.h"

#include <catch2/catch.hpp>

using namespace pelorus;

namespace {

std::string numbers(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += std::to_string(i) + "\n";
    return text;
}

}  // namespace

TEST_CASE("one member or several are inflated, up to the limit and no further") {
    const std::string text = numbers(50'000);
    const auto size = static_cast<int64_t>(text.size());
    std::string plain = "before";
    CHECK(gunzip(gzip(text), size, plain) == GunzipResult::Done);
    CHECK(plain == text);
    CHECK(gunzip(gzip(text) + gzip("") + gzip("end"), size + 3, plain) == GunzipResult::Done);
    CHECK(plain == text + "end");
    CHECK(gunzip(gzip(""), 0, plain) == GunzipResult::Done);
    CHECK(plain.empty());
    CHECK(gunzip(gzip(text), size - 1, plain) == GunzipResult::TooLong);
    CHECK(plain == text.substr(0, text.size() - 1));
    CHECK(gunzip(gzip(std::string(50 << 20, 'x')), 1000, plain) == GunzipResult::TooLong);
    CHECK(plain == std::string(1000, 'x'));
}

TEST_CASE("of bytes that are damaged or cut off what was inflated before stays, and nothing else") {
    const std::string text = numbers(50'000), packed = gzip(text);
    std::string plain;
    for (const size_t length : {size_t{0}, size_t{5}, packed.size() / 2, packed.size() - 1}) {
        INFO(length);
        CHECK(gunzip(packed.substr(0, length), 1 << 20, plain) == GunzipResult::Damaged);
        CHECK(text.starts_with(plain));
    }
    CHECK(gunzip(packed.substr(0, packed.size() / 2), 1 << 20, plain) == GunzipResult::Damaged);
    CHECK(plain.size() > text.size() / 3);
    CHECK(gunzip("this is no gzip", 1 << 20, plain) == GunzipResult::Damaged);
    CHECK(plain.empty());
    std::string flipped = packed;
    flipped[flipped.size() - 6] ^= 1;  // of the checksum
    CHECK(gunzip(flipped, 1 << 20, plain) == GunzipResult::Damaged);
    CHECK(gunzip(packed + "rest", 1 << 20, plain) == GunzipResult::Damaged);
    CHECK(plain == text);
}

TEST_CASE("packed bytes are smaller than the text, and the same each time") {
    const std::string text = numbers(50'000), packed = gzip(text);
    CHECK(packed.size() < text.size() / 2);
    CHECK(packed == gzip(text));
    CHECK(packed.starts_with("\x1f\x8b"));
}
