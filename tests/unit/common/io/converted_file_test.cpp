#include "common/io/converted_file.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "common/error.h"

using namespace pelorus;

namespace {

// Ten bytes in memory.
class TenBytes final : public ConvertedFile {
public:
    explicit TenBytes(std::shared_ptr<const File> source) : ConvertedFile(std::move(source)) {}
    size_t readAt(int64_t offset, void* target, size_t sizeBytes) const override {
        return source().readAt(offset, target, sizeBytes);
    }
    int64_t size() const override { return kUnknownSize; }
    int64_t sourceBytesRead() const override { return 3; }
};

class Source final : public File {
public:
    size_t readAt(int64_t, void* target, size_t sizeBytes) const override {
        std::memset(target, 'x', sizeBytes);
        return sizeBytes;
    }
    int64_t size() const override { return 10; }
    const std::string& path() const override { return path_; }
    void append(std::string_view) override {}
    void overwrite(int64_t, std::string_view) override {}
    void sync() override {}
    void reserve(int64_t) override {}
    void truncate(int64_t) override {}

private:
    const std::string path_ = "/ten";
};

}  // namespace

TEST_CASE("a converted file has the name and the size of its source beside its own, and is never written") {
    TenBytes file(std::make_shared<Source>());
    CHECK(file.path() == "/ten");
    CHECK(file.size() == ConvertedFile::kUnknownSize);
    CHECK(file.sourceBytes() == 10);
    CHECK(file.sourceBytesRead() == 3);
    char bytes[2] = {};
    CHECK(file.readAt(0, bytes, 2) == 2);
    CHECK(bytes[1] == 'x');
    CHECK_THROWS_AS(file.append("x"), InternalError);
    CHECK_THROWS_AS(file.overwrite(0, "x"), InternalError);
    CHECK_THROWS_AS(file.sync(), InternalError);
    CHECK_THROWS_AS(file.reserve(1), InternalError);
    CHECK_THROWS_AS(file.truncate(1), InternalError);
}
