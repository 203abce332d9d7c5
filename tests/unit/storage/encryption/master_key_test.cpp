#include "storage/encryption/master_key.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "common/error.h"
#include "tests/support/faulty_file_system.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

const std::string kDigits = "00112233445566778899aabbccddeeff0123456789abcdef0123456789ABCDEF";

void write(FileSystem& files, const std::string& path, const std::string& text) {
    files.create(path)->append(text);
}

}  // namespace

TEST_CASE("a key is 64 hexadecimal digits, whatever white space follows") {
    FaultyFileSystem files;
    write(files, "/key", kDigits + " \r\n\n");
    const MasterKey key = readMasterKey(files, "/key");
    REQUIRE(key.bytes.size() == 32);
    CHECK(static_cast<uint8_t>(key.bytes[9]) == 0x99);
    CHECK(static_cast<uint8_t>(key.bytes[31]) == 0xEF);
    write(files, "/other", std::string(64, '1'));
    CHECK(readMasterKey(files, "/other").version != key.version);
}

TEST_CASE("a file that holds no key says how one is made") {
    FaultyFileSystem files;
    CHECK_THROWS_WITH(readMasterKey(files, "/none"), "There is no key file /none.");
    for (const std::string& text : {std::string(), kDigits.substr(1), kDigits + "0", " " + kDigits.substr(1),
                                    std::string(64, 'g'), "0x" + kDigits.substr(2), "+1" + kDigits.substr(2)}) {
        write(files, "/key", text);
        INFO(text);
        try {
            readMasterKey(files, "/key");
            FAIL("it is a key");
        } catch (const UserError& error) {
            CHECK(std::string(error.what()) == "The file /key holds no master key.");
            CHECK(error.hint().find("openssl rand -hex 32") != std::string::npos);
        }
    }
}

TEST_CASE("a key is found by its version under any name, beside other files") {
    FaultyFileSystem files;
    files.makeFolder("/keys");
    write(files, "/keys/notes.txt", "no key");
    write(files, "/keys/a", std::string(64, '1'));
    write(files, "/keys/b", kDigits);
    const uint32_t version = readMasterKey(files, "/keys/b").version;
    REQUIRE(findMasterKey(files, "/keys", version));
    CHECK(findMasterKey(files, "/keys", version)->bytes == readMasterKey(files, "/keys/b").bytes);
    CHECK(!findMasterKey(files, "/keys", version + 1));
    CHECK(!findMasterKey(files, "/nowhere", version));
}

TEST_CASE("a key that is kept is readable by its owner alone, and kept once") {
    const TemporaryFolder folder;
    FileSystem& files = FileSystem::posix();
    write(files, folder / "source", kDigits);
    const MasterKey key = readMasterKey(files, folder / "source");
    keepMasterKey(files, folder / "keys", key);
    keepMasterKey(files, folder / "keys", key);
    const auto names = files.list(folder / "keys");
    REQUIRE(names.size() == 1);
    CHECK(findMasterKey(files, folder / "keys", key.version)->bytes == key.bytes);
    const auto permissions = std::filesystem::status(folder / ("keys/" + names[0])).permissions();
    CHECK((permissions & std::filesystem::perms::mask) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}
