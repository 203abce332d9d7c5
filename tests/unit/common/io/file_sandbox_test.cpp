#include "common/io/file_sandbox.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using Catch::Matchers::Contains;
using Catch::Matchers::Message;

namespace {

namespace fs = std::filesystem;

void write(const std::string& path, const std::string& string) {
    std::ofstream(path) << string;
}

std::string toString(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// A data folder with a secret of the server, two file folders in it, and a folder outside of everything.
struct Place {
    TemporaryFolder root;
    std::string data = root / "data", files = data + "/files", uploads = data + "/uploads", outside = root / "outside";
    std::shared_ptr<FileSandbox> sandbox;

    Place() {
        fs::create_directories(data);
        fs::create_directories(outside);
        write(data + "/users.json", "secret");
        write(outside + "/secret.txt", "secret");
        sandbox = std::make_shared<FileSandbox>(FileSandbox::Options{{"files", "uploads"}, data, {"users.json"}});
        write(files + "/own.txt", "own");
    }
};

template <class Call>
void requireRefused(Call&& call) {
    try {
        call();
    } catch (const UserError& error) {
        CHECK_THAT(error.what(), Contains("<NoPrivilege>"));
        CHECK_THAT(std::string(error.what()) + error.hint(), Contains("fileFolders"));
        return;
    }
    FAIL("the sandbox refused nothing");
}

// Each way to open, change or look at a path is refused.
void requireNoWay(FileSandbox& files, const std::string& path) {
    INFO(path);
    requireRefused([&] { files.openForRead(path); });
    requireRefused([&] { files.create(path); });
    requireRefused([&] { files.openForAppend(path); });
    requireRefused([&] { files.openStream(path, "a+"); });
    requireRefused([&] { files.exists(path); });
    requireRefused([&] { files.facts(path); });
    requireRefused([&] { files.setModified(path, 0); });
    requireRefused([&] { files.lock(path, nullptr); });
}

}  // namespace

TEST_CASE("a sandbox makes its folders for the owner alone") {
    Place place;
    struct stat status;
    REQUIRE(::stat(place.uploads.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
}

TEST_CASE("files in the folders are written, read, listed, renamed and removed") {
    Place place;
    FileSandbox& files = *place.sandbox;
    CHECK(readWholeFile(files, "own.txt") == "own");
    CHECK(readWholeFile(files, place.files + "/own.txt") == "own");
    files.makeFolder("a/b");
    files.create("a/b/new.txt")->append("new");
    CHECK(toString(place.files + "/a/b/new.txt") == "new");
    files.rename("a/b/new.txt", "a/moved.txt");
    CHECK(files.list("a") == std::vector<std::string>{"b", "moved.txt"});
    CHECK(files.facts("a/moved.txt")->sizeBytes == 3);
    files.setModified("a/moved.txt", 1'600'000'000'123);
    CHECK(files.facts("a/moved.txt")->modifiedMillis == 1'600'000'000'123);
    files.remove("a/moved.txt");
    CHECK_FALSE(files.exists("a/moved.txt"));
    replaceFile(files, "a/replaced", "text");
    files.removeAll("a", false);
    CHECK_FALSE(fs::exists(place.files + "/a"));
    CHECK_THROWS_AS(files.openForRead("missing"), SystemError);
    CHECK(files.list("missing").empty());
    std::fputs("line", files.openStream("stream.txt", "w").get());
    CHECK(toString(place.files + "/stream.txt") == "line");
    std::fputs("!", files.openStream("stream.txt", "a").get());
    CHECK(toString(place.files + "/stream.txt") == "line!");
    files.create("stream.txt");
    CHECK(files.facts("stream.txt")->sizeBytes == 0);
}

TEST_CASE("a relative path is looked for in each folder, and made where its folders are") {
    Place place;
    FileSandbox& files = *place.sandbox;
    write(place.uploads + "/sent.csv", "sent");
    CHECK(readWholeFile(files, "sent.csv") == "sent");
    CHECK(files.resolve("sent.csv") == place.uploads + "/sent.csv");
    fs::create_directories(place.uploads + "/day");
    CHECK(files.resolve("day/new/x.csv") == place.uploads + "/day/new/x.csv");
    files.create("day/new.csv");
    CHECK(fs::exists(place.uploads + "/day/new.csv"));
    CHECK(files.resolve("new.csv") == place.files + "/new.csv");
}

TEST_CASE("neither dots nor absolute paths leave the folders") {
    Place place;
    for (const std::string& path :
         {std::string("../users.json"), std::string("a/../../users.json"), std::string("./../users.json"),
          place.data + "/users.json", place.files + "/../users.json", place.outside + "/secret.txt",
          place.files + "x/own.txt", std::string("/etc/passwd"), std::string("/"), std::string("/proc/self/environ"),
          std::string("/proc/self/root/etc/passwd"), std::string("/dev/zero"), place.root / "DATA/files/own.txt"}) {
        if (path.starts_with("a/")) fs::create_directories(place.files + "/a");
        requireNoWay(*place.sandbox, path);
    }
    CHECK(toString(place.data + "/users.json") == "secret");
    requireRefused([&] { place.sandbox->list(".."); });
    requireRefused([&] { place.sandbox->makeFolder("../made"); });
    requireRefused([&] { place.sandbox->removeAll("../..", false); });
    requireRefused([&] { place.sandbox->rename("own.txt", "../own.txt"); });
    requireRefused([&] { place.sandbox->rename("../users.json", "users.json"); });
    requireRefused([&] { place.sandbox->remove("../users.json"); });
    requireRefused([&] { place.sandbox->openForRead("../files/own.txt"); });
}

TEST_CASE("no link leaves the folders") {
    Place place;
    FileSandbox& files = *place.sandbox;
    fs::create_symlink(place.outside + "/secret.txt", place.files + "/file");
    fs::create_symlink("../users.json", place.files + "/up");
    fs::create_symlink(place.outside, place.files + "/folder");
    fs::create_symlink("/proc/self/fd", place.files + "/magic");
    fs::create_symlink("loop", place.files + "/loop");
    fs::create_symlink(place.outside + "/new.txt", place.files + "/dangling");
    for (const char* name : {"file", "up", "folder/secret.txt", "magic/0", "loop", "dangling", "folder/../secret.txt"})
        requireNoWay(files, name);
    CHECK_FALSE(fs::exists(place.outside + "/new.txt"));
    CHECK(toString(place.outside + "/secret.txt") == "secret");
    requireRefused([&] { files.list("folder"); });
    requireRefused([&] { files.makeFolder("folder/made"); });
    requireRefused([&] { files.rename("own.txt", "folder/own.txt"); });
    requireRefused([&] { files.remove("folder/secret.txt"); });
    requireRefused([&] { files.removeAll("folder", true); });

    // Links within the folders are followed, and a link itself may be removed.
    fs::create_symlink("own.txt", place.files + "/inner");
    CHECK(readWholeFile(files, "inner") == "own");
    fs::create_directories(place.files + "/tree");
    fs::create_directory_symlink(place.outside, place.files + "/tree/link");
    files.removeAll("tree", false);
    files.remove("file");
    CHECK(fs::exists(place.outside + "/secret.txt"));
}

TEST_CASE("a link that is put in place while a path is opened does not lead out") {
    Place place;
    fs::create_directories(place.files + "/real");
    write(place.files + "/real/secret.txt", "own");
    const std::string swapped = place.files + "/swapped", aside = place.files + "/aside";
    fs::create_directory_symlink("real", swapped);
    std::atomic<bool> stop = false;
    std::thread swapper([&] {
        for (bool out = true; !stop; out = !out) {
            std::error_code ignored;
            fs::remove(aside, ignored);
            fs::create_directory_symlink(out ? place.outside : "real", aside, ignored);
            fs::rename(aside, swapped, ignored);
        }
    });
    int opened = 0, refused = 0;
    for (int i = 0; i < 20000 || ((opened == 0 || refused == 0) && i < 2'000'000); ++i) {
        try {
            if (readWholeFile(*place.sandbox, "swapped/secret.txt") != "own") FAIL("the sandbox let a link lead out");
            ++opened;
        } catch (const Error&) {
            ++refused;
        }
    }
    stop = true;
    swapper.join();
    CHECK(opened > 0);
    CHECK(refused > 0);
}

TEST_CASE("a file with several hard links is refused before it is changed") {
    Place place;
    fs::create_hard_link(place.outside + "/secret.txt", place.files + "/hard");
    requireRefused([&] { place.sandbox->openForRead("hard"); });
    requireRefused([&] { place.sandbox->create("hard"); });
    requireRefused([&] { place.sandbox->openStream("hard", "w"); });
    CHECK(toString(place.outside + "/secret.txt") == "secret");
}

TEST_CASE("pipes, sockets, devices and folders are no files, and nothing waits for them") {
    Place place;
    REQUIRE(::mkfifo((place.files + "/pipe").c_str(), 0600) == 0);
    const int number = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string path = place.files + "/socket";
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const bool hasSocket = ::bind(number, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(number);
    for (UserFiles* files : {static_cast<UserFiles*>(place.sandbox.get()), &UserFiles::machine()}) {
        for (const std::string& name : {place.files + "/pipe", path, place.files}) {
            if (name == path && !hasSocket) continue;
            CHECK_THROWS_AS(files->openForRead(name), Error);
            CHECK_THROWS_AS(files->lock(name, nullptr), Error);
        }
        CHECK_THROWS_AS(files->openStream(place.files + "/pipe", "w"), Error);
    }
    CHECK_THROWS_WITH(place.sandbox->openForRead("pipe"), Contains("a pipe"));
    CHECK_THROWS_AS(place.sandbox->openStream("pipe", "r"), Error);
    CHECK_THROWS_WITH(UserFiles::machine().openForRead("/dev/zero"), Contains("a device"));
    UserFiles::machine().create("/dev/null")->append("gone");
}

TEST_CASE("names that no file can have are errors") {
    Place place;
    for (UserFiles* files : {static_cast<UserFiles*>(place.sandbox.get()), &UserFiles::machine()}) {
        CHECK_THROWS_AS(files->openForRead(std::string("own.txt\0/../x", 13)), UserError);
        CHECK_THROWS_AS(files->openForRead(std::string(300, 'x')), Error);
        CHECK_THROWS_AS(files->create(std::string(5000, 'x')), Error);
        CHECK_THROWS_AS(files->openForRead(""), Error);
        CHECK_FALSE(files->exists(std::string(5000, 'x')));
    }
    for (int depth : {100, 3000}) {
        std::string deep;
        for (int i = 0; i < depth; ++i) deep += "../";
        CHECK_THROWS_AS(place.sandbox->openForRead(deep + "etc/passwd"), Error);
    }
    CHECK_THROWS_AS(place.sandbox->openForRead("OWN.TXT"), SystemError);
}

TEST_CASE("the folders themselves are neither removed nor renamed") {
    Place place;
    fs::remove(place.files + "/own.txt");
    CHECK_THROWS_AS(place.sandbox->remove(place.files), Error);
    CHECK_THROWS_AS(place.sandbox->removeAll(place.files, false), Error);
    CHECK_THROWS_AS(place.sandbox->rename(place.files, place.uploads + "/x"), Error);
    CHECK(fs::exists(place.files));
    place.sandbox->create("again.txt");
}

TEST_CASE("folders that would open the server's own files are refused at start") {
    TemporaryFolder root;
    const std::string data = root / "data";
    fs::create_directories(data);
    fs::create_directory_symlink(data, root / "link");
    for (const std::string& folder :
         {data, root.path(), std::string("/"), std::string("."), std::string(".."), root / "link", std::string("tls"),
          std::string("wal/inner"), root / "keys", std::string("users.json"), data + "/../data"}) {
        INFO(folder);
        const FileSandbox::Options options{{"files", folder}, data, {"users.json", "tls", "wal", root / "keys/master"}};
        CHECK_THROWS_WITH(FileSandbox(options), Contains("fileFolders") && Contains("server keeps"));
    }
    CHECK_FALSE(fs::exists(root / "keys"));
    FileSandbox(FileSandbox::Options{{"files", root / "elsewhere"}, data, {"users.json", "tls"}});
    CHECK(fs::exists(root / "elsewhere"));
}

TEST_CASE("each user has a folder, and shared ones as far as they are granted") {
    const Place place;
    using enum FolderAccess;
    UserFiles& ann = place.sandbox->ofUser("ann", {Read, None});
    UserFiles& bob = place.sandbox->ofUser("bob", {Write, None});
    CHECK(&ann == &place.sandbox->ofUser("ann", {Read, None}));
    ann.create("own.csv");
    CHECK(fs::exists(place.data + "/users/ann/own.csv"));
    CHECK_FALSE(bob.exists("own.csv"));
    for (const std::string& path :
         {place.data + "/users/ann/own.csv", std::string("../ann/own.csv"), place.uploads + "/x"})
        requireRefused([&] { bob.openForRead(path); });
    CHECK(ann.exists("own.txt"));  // of the shared folder
    ann.openForRead("own.txt");
    const std::string shared = place.files + "/own.txt", fresh = place.files + "/fresh.txt";
    requireRefused([&] { ann.openForAppend(shared); });
    requireRefused([&] { ann.create(shared); });
    requireRefused([&] { ann.create(fresh); });
    requireRefused([&] { ann.openStream(shared, "a"); });
    requireRefused([&] { ann.remove(shared); });
    requireRefused([&] { ann.rename(shared, place.data + "/users/ann/taken"); });
    requireRefused([&] { ann.rename("own.csv", fresh); });
    requireRefused([&] { ann.makeFolder(place.files + "/made/deep"); });
    requireRefused([&] { ann.removeAll(place.files, true); });
    requireRefused([&] { ann.setModified(shared, 0); });
    requireRefused([&] { ann.lock(shared, nullptr); });
    CHECK(toString(shared) == "own");
    bob.create(fresh);
    bob.remove(fresh);
    // Without a name there are the shared folders alone.
    requireRefused([&] { place.sandbox->ofUser("", {None, Read}).openForRead(place.data + "/users/ann/own.csv"); });
}

namespace {

// From here on the kernel answers openat2 as one does that lacks it.
bool forgetOpenat2() {
    sock_filter program[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                             BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
                             BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                             BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog filter{static_cast<unsigned short>(std::size(program)), program};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace

TEST_CASE("without openat2 in the kernel a sandbox refuses every path") {
    TemporaryFolder root;
    enum Outcome { Refused, Opened, NoFilter };
    const pid_t child = ::fork();
    if (child == 0) {
        if (!forgetOpenat2()) ::_exit(NoFilter);
        const FileSandbox::Options options{{"files"}, root.path(), {}};
        const auto sandbox = std::make_shared<FileSandbox>(options);
        try {
            sandbox->create("x");
        } catch (const UserError& error) {
            ::_exit(std::string_view(error.what()).find("openat2") != std::string_view::npos ? Refused : Opened);
        }
        ::_exit(Opened);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    if (WEXITSTATUS(status) == NoFilter) return;  // the machine of the test takes no filters
    CHECK(WEXITSTATUS(status) == Refused);
}
