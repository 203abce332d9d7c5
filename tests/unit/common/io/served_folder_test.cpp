#include "common/io/served_folder.h"

#include <sys/stat.h>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

TEST_CASE("files below a folder are read, and nothing else of the machine") {
    const TemporaryFolder folder;
    const std::filesystem::path base = folder.path(), root = base / "root";
    std::filesystem::create_directories(root / "sub");
    std::ofstream(base / "secret.txt") << "secret";
    std::ofstream(root / "a.txt") << "text";
    std::ofstream(root / "sub/b.txt") << "below";
    std::ofstream(root / ".hidden") << "hidden";
    std::filesystem::create_symlink("../secret.txt", root / "link.txt");
    std::filesystem::create_symlink(base / "secret.txt", root / "absolute.txt");
    std::filesystem::create_directory_symlink("..", root / "up");
    REQUIRE(::mkfifo((root / "fifo").c_str(), 0600) == 0);

    const ServedFolder served(root.string());
    CHECK(served.read("a.txt", 100) == "text");
    CHECK(served.read("sub/b.txt", 100) == "below");
    CHECK(served.read("sub/../a.txt", 100) == std::nullopt);  // a name that begins with a dot
    for (const std::string& path :
         {std::string("../secret.txt"), std::string("sub/../../secret.txt"), std::string("link.txt"),
          std::string("absolute.txt"), std::string("up/secret.txt"), (base / "secret.txt").string(),
          std::string("/etc/passwd"), std::string(".hidden"), std::string("sub"), std::string(""), std::string("."),
          std::string("fifo"), std::string("none.txt"), std::string("a.txt\0.html", 11)}) {
        INFO(path);
        CHECK(served.read(path, 100) == std::nullopt);
    }
    CHECK(served.read("a.txt", 3) == std::nullopt);
    CHECK_THROWS_AS(ServedFolder((base / "none").string()), SystemError);
}
