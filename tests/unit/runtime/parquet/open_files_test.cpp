#include "runtime/parquet/open_files.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace pelorus::parquet_file {

TEST_CASE("more files are read than are open at a time, and one that was replaced is refused") {
    const TemporaryFolder folder;
    UserFiles& files = UserFiles::machine();
    const auto open = std::make_shared<OpenFiles>(files);
    std::vector<std::shared_ptr<File>> all;
    const size_t count = OpenFiles::kMaxOpen + 10;
    for (size_t i = 0; i < count; ++i) {
        const std::string path = folder / std::to_string(i);
        files.create(path)->append("file " + std::to_string(i));
        all.push_back(open->file(path));
    }
    char bytes[8] = {};
    for (size_t i = 0; i < count; ++i) CHECK(all[i]->readAt(5, bytes, 8) == std::to_string(i).size());
    files.create(folder / "0")->append("longer than before");
    CHECK_THROWS_WITH(all[0]->readAt(0, bytes, 8), Catch::Contains("was changed while it was read"));
    CHECK_THROWS_AS(open->file(folder / "absent"), SystemError);
}

}  // namespace pelorus::parquet_file
