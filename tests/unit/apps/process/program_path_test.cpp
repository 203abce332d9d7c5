#include "apps/process/program_path.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"

using namespace pelorus;

TEST_CASE("a program is found in any folder of PATH, and only when it can be started") {
    const TemporaryFolder folder;
    const char* const before = std::getenv("PATH");
    const std::string kept = before ? before : "";
    const std::string program = folder.path() + "/some-program";
    std::ofstream(program) << "#!/bin/sh\n";
    for (const std::string& path :
         {folder.path(), "/nowhere:" + folder.path(), folder.path() + ":/nowhere", "::" + folder.path()}) {
        ::setenv("PATH", path.c_str(), 1);
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        CHECK(isOnPath("some-program"));
        CHECK_FALSE(isOnPath("another-program"));
        std::filesystem::permissions(program, std::filesystem::perms::none);
        if (::geteuid() != 0) CHECK_FALSE(isOnPath("some-program"));
        std::filesystem::permissions(program, std::filesystem::perms::owner_read);
        CHECK_FALSE(isOnPath("some-program"));
    }
    ::setenv("PATH", "", 1);
    CHECK_FALSE(isOnPath("some-program"));
    ::setenv("PATH", kept.c_str(), 1);
}
