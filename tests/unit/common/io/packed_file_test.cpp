#include "common/io/packed_file.h"

#include <zlib.h>

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

constexpr int kRaw = -15, kGzip = 15 + 16;

std::string deflated(const std::string& bytes, int windowBits) {
    z_stream stream{};
    REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

template <class Number>
void put(std::string& bytes, Number number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

struct Entry {
    std::string name, content;
    bool isDeflated = true;
    uint16_t flags = 0;
};

std::string zip(const std::vector<Entry>& entries) {
    std::string archive, directory;
    for (const Entry& entry : entries) {
        const std::string packed = entry.isDeflated ? deflated(entry.content, kRaw) : entry.content;
        const auto checksum = static_cast<uint32_t>(
            crc32(0, reinterpret_cast<const Bytef*>(entry.content.data()), static_cast<uInt>(entry.content.size())));
        const auto offset = static_cast<uint32_t>(archive.size());
        std::string shared;  // what the head of a file and its entry in the directory share
        put<uint16_t>(shared, 20);
        put<uint16_t>(shared, entry.flags);
        put<uint16_t>(shared, entry.isDeflated ? 8 : 0);
        put<uint32_t>(shared, 0);
        put<uint32_t>(shared, checksum);
        put<uint32_t>(shared, static_cast<uint32_t>(packed.size()));
        put<uint32_t>(shared, static_cast<uint32_t>(entry.content.size()));
        put<uint16_t>(shared, static_cast<uint16_t>(entry.name.size()));
        put<uint16_t>(shared, 0);
        archive += "PK\x03\x04" + shared + entry.name + packed;
        directory += std::string("PK\x01\x02") + std::string("\x14\0", 2) + shared + std::string(10, '\0');
        put<uint32_t>(directory, offset);
        directory += entry.name;
    }
    const auto directoryAt = static_cast<uint32_t>(archive.size());
    archive += directory + "PK\x05\x06" + std::string(4, '\0');
    put<uint16_t>(archive, static_cast<uint16_t>(entries.size()));
    put<uint16_t>(archive, static_cast<uint16_t>(entries.size()));
    put<uint32_t>(archive, static_cast<uint32_t>(directory.size()));
    put<uint32_t>(archive, directoryAt);
    put<uint16_t>(archive, 0);
    return archive;
}

// Lines that do not repeat, so that buffers are filled several times.
std::string manyLines() {
    std::string lines;
    uint64_t x = 1;
    while (lines.size() < 3000000) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        lines += std::to_string(x) + "\n";
    }
    return lines;
}

struct PackedFolder {
    TemporaryFolder folder;
    std::unique_ptr<File> open(const std::string& bytes) {
        FileSystem::posix().create(folder / "f")->append(bytes);
        return openUnpacked(FileSystem::posix(), folder / "f");
    }
    std::string content(const std::string& bytes) {
        const auto file = open(bytes);
        std::string all(4000000, '\0');
        all.resize(file->readAt(0, all.data(), all.size()));
        return all;
    }
    std::string error(const std::string& bytes) {
        try {
            content(bytes);
        } catch (const SystemError& error) {
            return error.what();
        }
        return "none";
    }
};

}  // namespace

TEST_CASE("a .gz file, its members and a .zip archive of one file read as what they hold") {
    PackedFolder folder;
    const std::string lines = manyLines();
    CHECK(folder.content(lines) == lines);
    CHECK(folder.content(deflated(lines, kGzip)) == lines);
    const std::string members = deflated("a\n", kGzip) + deflated("", kGzip) + deflated(lines, kGzip);
    CHECK(folder.content(members) == "a\n" + lines);
    CHECK(folder.content(members + std::string(512, '\0')) == "a\n" + lines);
    CHECK(folder.content(deflated("", kGzip)).empty());
    CHECK(folder.content("").empty());
    CHECK(folder.content(zip({{"lines.csv", lines}})) == lines);
    CHECK(folder.content(zip({{"data/", "", false}, {"data/lines.csv", lines, false}})) == lines);
    CHECK(folder.content(zip({{"empty", ""}})).empty());
    CHECK(folder.content(zip({{"empty", "", false}})).empty());
}

TEST_CASE("an inflated file is read from any place, forward and back") {
    PackedFolder folder;
    const std::string lines = manyLines();
    for (const std::string& bytes : {deflated(lines, kGzip), zip({{"f", lines}}), zip({{"f", lines, false}})}) {
        const auto file = folder.open(bytes);
        for (const size_t offset : {0UL, 2500000UL, 100UL, 100UL, lines.size() - 5, lines.size(), lines.size() + 5}) {
            std::string part(1000, '\0');
            part.resize(file->readAt(static_cast<int64_t>(offset), part.data(), part.size()));
            CHECK(part == (offset < lines.size() ? lines.substr(offset, 1000) : ""));
        }
    }
}

TEST_CASE("an inflated file tells how much of the packed one was read") {
    PackedFolder folder;
    const std::string lines = manyLines(), packed = deflated(lines, kGzip);
    const auto file = folder.open(packed);
    const auto& inflated = dynamic_cast<const InflatedFile&>(*file);
    const auto size = static_cast<int64_t>(packed.size());
    CHECK(inflated.sourceBytes() == size);
    std::string part(lines.size() / 2, '\0');
    int64_t before = 0;
    for (const size_t offset : {0UL, part.size()}) {
        file->readAt(static_cast<int64_t>(offset), part.data(), part.size());
        CHECK(inflated.sourceBytesRead() > before);
        CHECK(inflated.sourceBytesRead() <= size);
        before = inflated.sourceBytesRead();
    }
    file->readAt(static_cast<int64_t>(lines.size()), part.data(), 1);
    CHECK(inflated.sourceBytesRead() == size);
}

TEST_CASE("damaged archives name the file and the place") {
    PackedFolder folder;
    const std::string lines = manyLines();
    std::string gzip = deflated(lines, kGzip);
    const std::string name = "The compressed file " + (folder.folder / "f") + " is damaged at byte ";
    CHECK(folder.error(gzip.substr(0, 1000000)) == name + "1000000: it is cut off.");
    CHECK(folder.error(gzip.substr(0, gzip.size() - 1)) == name + std::to_string(gzip.size() - 1) + ": it is cut off.");
    CHECK(folder.error(gzip + "more") ==
          name + std::to_string(gzip.size()) + ": what follows a member is no other one.");
    std::string wrong = gzip;
    wrong[500000] = static_cast<char>(wrong[500000] ^ 0x55);
    CHECK(folder.error(wrong).starts_with(name));

    std::string archive = zip({{"lines.csv", lines}});
    CHECK(folder.error(archive.substr(0, 1000)).find("its directory is missing") != std::string::npos);
    wrong = archive;
    wrong[14] = static_cast<char>(wrong[14] + 1);  // the head's checksum is not used, the directory's is
    CHECK(folder.error(wrong) == "none");
    const size_t entry = archive.rfind("PK\x01\x02");
    wrong = archive;
    wrong[entry + 16] = static_cast<char>(wrong[entry + 16] + 1);
    CHECK(folder.error(wrong).find("lines.csv fails its checksum") != std::string::npos);
    wrong = archive;
    wrong[entry + 24] = static_cast<char>(wrong[entry + 24] + 1);
    CHECK(folder.error(wrong).find("lines.csv has 3000") != std::string::npos);
    CHECK(folder.error(zip({{"a", "1"}, {"b", "2"}})).find("holds 2 files instead of one") != std::string::npos);
    CHECK(folder.error(zip({})).find("holds 0 files") != std::string::npos);
    CHECK(folder.error(zip({{"a", "1", true, 1}})).find("a in the archive") != std::string::npos);
    // Every truncation and changed byte leads to an error or the content, never a crash.
    const std::string small = zip({{"a", "some text, some text"}});
    for (size_t i = 0; i < small.size(); ++i) {
        folder.error(small.substr(0, i));
        std::string changed = small;
        changed[i] = static_cast<char>(changed[i] ^ 0xFF);
        folder.error(changed);
    }
}
