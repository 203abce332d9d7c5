#include "presentation/import/utf16_file.h"

#include <catch2/catch.hpp>
#include <string>

#include "common/error.h"
#include "runtime/text/utf8.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using namespace pelorus::text;
using namespace std::string_literals;

namespace {

std::string asUtf16(const std::u32string& string, bool isBigEndian) {
    std::string bytes;
    const auto add = [&](uint32_t unit) {
        const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit);
        bytes += isBigEndian ? std::string{high, low} : std::string{low, high};
    };
    for (const char32_t c : string) {
        if (c < 0x10000) {
            add(c);
        } else {
            add(0xD800 + ((c - 0x10000) >> 10));
            add(0xDC00 + ((c - 0x10000) & 0x3FF));
        }
    }
    return bytes;
}

std::string wholeString(const File& file, size_t piece) {
    std::string string, part(piece, '\0');
    while (const size_t got = file.readAt(static_cast<int64_t>(string.size()), part.data(), piece))
        string += part.substr(0, got);
    return string;
}

class Utf16Fixture {
public:
    std::unique_ptr<File> opened(const std::string& bytes) {
        replaceFile(FileSystem::posix(), folder_ / "f.txt", bytes);
        return openAsUtf8(FileSystem::posix().openForRead(folder_ / "f.txt"));
    }

private:
    TemporaryFolder folder_;
};

}  // namespace

TEST_CASE_METHOD(Utf16Fixture, "UTF-16 of either order, with and without its mark, is read as UTF-8") {
    std::u32string string = U"a,b\r\n1,行情😀\r\n";
    std::string expected = "a,b\r\n1,行情😀\r\n";
    // Long enough for several conversions, with pairs across their borders.
    for (int i = 0; i < 15; ++i) string += string, expected += expected;
    for (const bool isBigEndian : {false, true}) {
        const std::string bytes = asUtf16(string, isBigEndian), mark = isBigEndian ? "\xFE\xFF" : "\xFF\xFE";
        const auto file = opened(mark + bytes);
        REQUIRE(wholeString(*file, 70001) == expected);
        char again[3];
        REQUIRE(file->readAt(0, again, 3) == 3);
        REQUIRE(std::string(again, 3) == "a,b");
        REQUIRE(wholeString(*opened("x" + mark), 10) == "x" + mark);
    }
    REQUIRE(wholeString(*opened("a\0,\0b\0\n\0"s), 3) == "a,b\n");
    REQUIRE(wholeString(*opened("\0a\0,\0b\0\n"s), 3) == "a,b\n");
}

TEST_CASE_METHOD(Utf16Fixture, "halves of characters are replaced, and other files left as they are") {
    REQUIRE(wholeString(*opened("\xFF\xFE"
                                "a\0\x3D\xD8"
                                "b\0"s),
                        100) ==
            "a\xEF\xBF\xBD"
            "b");
    REQUIRE(wholeString(*opened("\xFF\xFE"
                                "a\0\x3D\xD8"s),
                        100) == "a\xEF\xBF\xBD");
    REQUIRE(wholeString(*opened("\xFF\xFE"
                                "a\0b"s),
                        100) == "a\xEF\xBF\xBD");
    for (const std::string& bytes : {""s, "a"s, "plain\n"s, "zero\0s\n"s, "\0\0\0\0"s})
        REQUIRE(wholeString(*opened(bytes), 100) == bytes);
    REQUIRE_THROWS_AS(opened("\xFF\xFE\0\0a\0\0\0"s), UserError);
}
