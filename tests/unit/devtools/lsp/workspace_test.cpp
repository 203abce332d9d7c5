#include "devtools/lsp/workspace.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

using Strings = std::vector<std::string>;

struct Folder {
    std::string write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(std::filesystem::path(files / name).parent_path());
        std::ofstream(files / name) << text;
        return uriOfPath(files / name);
    }
    std::string uri() const { return uriOfPath(files.path()); }

    TemporaryFolder files;
};

}  // namespace

TEST_CASE("paths and URIs are converted byte for byte, and other schemes have no path") {
    CHECK(uriOfPath("/a b/\u00e9%.dos") == "file:///a%20b/%C3%A9%25.dos");
    for (const char* path : {"/a b/\u00e9%.dos", "/plain-_.~/x", "/"}) CHECK(pathOfUri(uriOfPath(path)) == path);
    CHECK(pathOfUri("file://host/x") == "/x");
    CHECK(pathOfUri("file:///bad%zz%4") == "/bad%zz%4");
    CHECK(pathOfUri("untitled:one").empty());
    CHECK(pathOfUri("file:///a%00b").empty());
    CHECK(pathOfUri("file://").empty());
}

TEST_CASE("scripts below a folder are known once they are read, hidden and other files are not") {
    const Folder folder;
    folder.write("deep/er/p.dos", "module desk::p\ndef priceOf(x) { return x }\n");
    folder.write(".git/q.dos", "module hidden::q\n");
    folder.write("node_modules/r.dos", "module hidden::r\n");
    folder.write("note.txt", "module other::s\n");
    Workspace workspace;
    workspace.addFolder(folder.uri());
    CHECK(workspace.moduleNames().empty());
    workspace.indexAll();
    CHECK(workspace.moduleNames() == Strings{"desk::p"});
    CHECK(workspace.files().size() == 1);
    workspace.removeFolder(folder.uri());
    CHECK(workspace.files().empty());
}

TEST_CASE("an open document counts instead of its file, which comes back when it is closed") {
    const Folder folder;
    const std::string uri = folder.write("p.dos", "module on::disk\n");
    Workspace workspace;
    workspace.addFolder(folder.uri());
    workspace.analysisOf(workspace.open(uri, "module in::editor\n", 1));
    workspace.indexAll();
    CHECK(workspace.moduleNames() == Strings{"in::editor"});
    folder.write("p.dos", "module changed::on::disk\n");
    workspace.fileChanged(uri);
    workspace.indexAll();
    CHECK(workspace.moduleNames() == Strings{"in::editor"});
    workspace.close(uri);
    workspace.indexAll();
    CHECK(workspace.moduleNames() == Strings{"changed::on::disk"});
    CHECK(workspace.find(uri) == nullptr);
    std::filesystem::remove(pathOfUri(uri));
    workspace.fileChanged(uri);
    workspace.indexAll();
    CHECK(workspace.moduleNames().empty());
}

TEST_CASE("of an editor on another machine no file is read") {
    const Folder folder;
    const std::string uri = folder.write("p.dos", "module desk::p\n");
    Workspace workspace;
    workspace.setReadsFiles(false);
    workspace.addFolder(folder.uri());
    workspace.fileChanged(uri);
    workspace.indexAll();
    CHECK(workspace.files().empty());
    CHECK(workspace.analysisOfFile(uri) == nullptr);
}

TEST_CASE("a function is found in the modules that a script uses, by its name or with its module") {
    Workspace workspace;
    workspace.analysisOf(workspace.open("untitled:p", "module desk::p\ndef priceOf(x) { return x }\nv = 1\n", 1));
    workspace.analysisOf(workspace.open("untitled:s", "share table(1 as a) as sharedTable\n", 1));
    const auto user = ScriptAnalysis::make("use desk::p\n"), stranger = ScriptAnalysis::make("x = 1\n");
    REQUIRE(workspace.findUsed(*user, "priceOf").symbol);
    CHECK(*workspace.findUsed(*user, "priceOf").uri == "untitled:p");
    CHECK(workspace.findUsed(*user, "desk::p::priceOf").symbol);
    CHECK(!workspace.findUsed(*user, "desk::q::priceOf").symbol);
    CHECK(!workspace.findUsed(*user, "v").symbol);
    CHECK(!workspace.findUsed(*stranger, "priceOf").symbol);
    CHECK(workspace.isShared("sharedTable"));
    CHECK(!workspace.isShared("v"));
}
