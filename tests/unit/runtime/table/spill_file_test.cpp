#include "runtime/table/spill_file.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

// Returns the contents of this process's unnamed files below `folder`: only their descriptors lead to them.
std::string namelessContent(const std::string& folder) {
    std::string content;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code closed;
        const std::string target = std::filesystem::read_symlink(entry.path(), closed).string();
        if (target.starts_with(folder)) content += readWholeFile(FileSystem::posix(), entry.path().string());
    }
    return content;
}

MemoryTable someRows() {
    return MemoryTable({"n", "text"}, {Value::of(Vector::of<int64_t>(Type::Long, {1, 0x4142434445464748, 3})),
                                       Value::of(Vector::ofStrings({"", "secret text", "b"}))});
}

}  // namespace

TEST_CASE("rows that are set aside come back, and are encrypted once any table is") {
    const TemporaryFolder temporary;
    const SpillFolder folder{temporary.path(), FileSystem::posix()};
    for (const bool isSealed : {false, true}) {
        if (isSealed) SpillFile::sealNewFiles();
        SpillFile file(folder);
        for (int block = 0; block < 3; ++block) CHECK(file.append(someRows()) == block);
        const std::string content = namelessContent(temporary.path());
        CHECK(content.empty() == false);
        CHECK((content.find("secret text") == std::string::npos) == isSealed);
        CHECK((content.find("HGFEDCBA") == std::string::npos) == isSealed);
        const Ref<MemoryTable> rows = file.read(2);
        CHECK(rows->column(0).vector().data<int64_t>()[1] == 0x4142434445464748);
        CHECK(rows->column(1).vector().string(1) == "secret text");
        CHECK(rows->column(1).vector().string(0).empty());
    }
}
