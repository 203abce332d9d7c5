#include "runtime/parquet/file_pattern.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace pelorus::parquet_file {

TEST_CASE("wildcards stand for characters of one name") {
    CHECK(fitsPattern("trades.parquet", "*.parquet"));
    CHECK(fitsPattern("a1b", "a?b"));
    CHECK(fitsPattern("abcabd", "*ab?"));
    CHECK_FALSE(fitsPattern("ab", "a?b"));
    CHECK(fitsPattern("part-3", "part-[0-4]"));
    CHECK_FALSE(fitsPattern("part-7", "part-[0-4]"));
    CHECK(fitsPattern("part-7", "part-[!0-4]"));
    CHECK(fitsPattern("a]", "a[]]"));
    CHECK(fitsPattern("a[b", "a[b"));
    CHECK(fitsPattern("", "**"));
    CHECK_FALSE(fitsPattern(std::string(5000, 'a'), std::string(1000, '*') + "b"));
}

TEST_CASE("folders are walked, and their names are keys") {
    const TemporaryFolder folder;
    UserFiles& files = UserFiles::machine();
    for (const char* name :
         {"year=2024/a.parquet", "year=2023/b%20c=x%2Fy/b.parquet", "year=2023/_hidden.parquet", "other/c.txt"}) {
        const std::string path = folder / name;
        files.makeFolder(folderOf(path));
        files.create(path);
    }
    const auto all = matchFiles(files, folder / "**/*.parquet");
    REQUIRE(all.size() == 2);
    CHECK(all[0].path == folder / "year=2023/b%20c=x%2Fy/b.parquet");
    CHECK(all[0].keys == std::vector<std::pair<std::string, std::string>>{{"year", "2023"}, {"b c", "x/y"}});
    CHECK(matchFiles(files, folder / "year=*/*.parquet").size() == 1);
    CHECK(matchFiles(files, folder / "other/c.txt").size() == 1);
    CHECK_THROWS_AS(matchFiles(files, folder / "*.csv"), SystemError);
    CHECK_THROWS_AS(matchFiles(files, folder / "absent.parquet"), SystemError);
}

}  // namespace pelorus::parquet_file
