// Functions open files as the user whose rights the code has.
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>

#include "common/error.h"
#include "common/io/file_sandbox.h"
#include "interpreter/engine/engine.h"
#include "interpreter/session/modules.h"
#include "runtime/function/principal.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/process/whole_process.h"

using namespace pelorus;
using namespace pelorus::testing;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

// The rights of a caller: SCRIPT_EXEC and TEST_EXEC, which run and test need, and that to write files.
class MayRunScripts final : public GrantedRights {
public:
    bool allows(Right right, const SecuredObject&) const override {
        return right == Right::ExecuteScript || right == Right::ExecuteTest || right == Right::WriteFiles;
    }
    bool denies(Right) const override { return false; }
};

// A process with file folders, next to a folder that no user may reach.
struct Place {
    TemporaryFolder root;
    std::string data = root / "data", files = data + "/files", own = data + "/users/ann", outside = root / "outside";
    Services services = wholeProcess().services();

    explicit Place(bool confinesAdministrators = false) {
        fs::create_directories(data + "/tls");
        fs::create_directories(data + "/modules");
        fs::create_directories(outside + "/folder");
        std::ofstream(data + "/users.json") << "{}";
        std::ofstream(outside + "/t.csv") << "a,b\n1,2\n";
        std::ofstream(outside + "/s.dos") << "1+1";
        services.add(std::make_shared<FileSandbox>(
            FileSandbox::Options{{"files", "backup"}, data, {"users.json", "tls"}, confinesAdministrators}));
        services.add(std::make_shared<ModuleStore>("modules", data));
        std::ofstream(files + "/t.csv") << "a,b\n1,2\n";
        fs::create_symlink(outside + "/t.csv", files + "/link.csv");
        fs::create_symlink(outside, files + "/out");
        fs::create_hard_link(outside + "/t.csv", files + "/hard.csv");
        ::mkfifo((files + "/pipe.csv").c_str(), 0600);
    }

    Value run(const std::string& script, Principal::Powers powers, const std::string& user = "ann") const {
        Request request{std::make_shared<const Principal>(user, powers, std::make_shared<const MayRunScripts>())};
        Context context(services, request);
        Session session(services);
        return evaluate(script, session, context);
    }
    Value run(const std::string& script) const { return run(script, {.opensFiles = true, .callsPublic = true}); }
    Value runAsOwner(const std::string& script) const { return run(script, Principal::owner()->powers(), "admin"); }
};

std::string problemOf(const Place& place, const std::string& script) {
    try {
        place.run(script);
    } catch (const Error& error) {
        return std::string(error.what()) + " " + error.hint();
    }
    return "";
}

// Every function that takes a path, with $ for it.
const char* const kFileCalls[] = {"loadText($)",
                                  "ploadText($)",
                                  "extractTextSchema($)",
                                  "textChunkDS($, 1)",
                                  "select * from $",
                                  "file($)",
                                  "file($, 'w')",
                                  "file($, 'a+')",
                                  "readObject($)",
                                  "loadNpy($)",
                                  "loadNpz($)",
                                  "saveAsNpy(1 2, $)",
                                  "loadRecord($, [(\"a\", INT)])",
                                  "saveText(table(1 as a), $)",
                                  "saveText(table(1 as a), $, , true)",
                                  "saveTextFile('x', $)",
                                  "saveTextFile('x', $, true)",
                                  "run($)",
                                  "run($, true)",
                                  "test($)",
                                  "test('t.csv', $)",
                                  "backupDB('kept', 'dfs://none', $)",
                                  "migrate('kept', , , , , $)",
                                  "exists($)",
                                  "#include $",
                                  "loadTextEx(database(, VALUE, 1 2), `t, `a, $)"};
const char* const kFolderCalls[] = {"files($)",
                                    "mkdir($ + '/made')",
                                    "rmdir($, true)",
                                    "rmdir($ + '/folder')",
                                    "rm($ + '/t.csv')",
                                    "database($)",
                                    "database($ + '/made', VALUE, 1 2)",
                                    "saveTable(database($), table(1 as a), `t)",
                                    "loadTable($, `t)",
                                    "dropTable(database($), `t)",
                                    "dropDatabase($)",
                                    "mvccTable(1:0, [`a], [INT], $, `t)",
                                    "loadMvccTable($, `t)",
                                    "backup($, 'dfs://none')",
                                    "backupDB($, 'dfs://none')",
                                    "backupTable($, 'dfs://none', `t)",
                                    "restore($, 'dfs://none', `t, \"%\")",
                                    "restoreDB($, 'dfs://none')",
                                    "restoreTable($, 'dfs://none', `t)",
                                    "migrate($)",
                                    "getBackupList($, 'dfs://none', `t)",
                                    "getBackupMeta($, 'dfs://none', '/1', `t)",
                                    "loadBackup($, 'dfs://none', '/1', `t)",
                                    "checkBackup($, 'dfs://none')",
                                    "loadModule(`m, $)",
                                    "saveModule(`m, $)",
                                    "test($)",
                                    "exists($)"};

std::string withPath(std::string script, const std::string& path) {
    const size_t at = script.find('$');
    REQUIRE(at != std::string::npos);
    return script.replace(at, 1, '"' + path + '"');
}

}  // namespace

TEST_CASE("no function lets a plain user out of the file folders") {
    const Place place;
    const std::string before = place.outside + "/t.csv";
    for (const char* call : kFileCalls) {
        for (const std::string& path :
             {before, std::string("../users.csv"), std::string("link.csv"), std::string("out/t.csv"),
              std::string("/proc/self/environ.csv"), place.files + "/../../outside/t.csv"}) {
            const std::string script = withPath(call, path);
            INFO(script);
            CHECK_THAT(problemOf(place, script), Contains("fileFolders"));
        }
    }
    for (const char* call : kFolderCalls) {
        for (const std::string& path : {place.outside, place.data, std::string("./.."), std::string("./out")}) {
            const std::string script = withPath(call, path);
            INFO(script);
            CHECK_THAT(problemOf(place, script), Contains("fileFolders"));
        }
    }
    std::ifstream kept(before);
    CHECK(std::string(std::istreambuf_iterator<char>(kept), {}) == "a,b\n1,2\n");
    CHECK(fs::is_empty(place.outside + "/folder"));
    CHECK_FALSE(fs::exists(place.outside + "/made"));
    CHECK(fs::exists(place.data + "/users.json"));
}

TEST_CASE("hard links and pipes are refused to imports of a plain user") {
    const Place place;
    CHECK_THAT(problemOf(place, "loadText('hard.csv')"), Contains("hard links") && Contains("fileFolders"));
    CHECK_THAT(problemOf(place, "saveText(table(1 as a), 'hard.csv')"), Contains("hard links"));
    for (const char* call : {"loadText('pipe.csv')", "file('pipe.csv')", "file('pipe.csv', 'w')", "run('pipe.csv')"})
        CHECK_THAT(problemOf(place, call), Contains("pipe"));
}

TEST_CASE("a user without the power to open files opens none, by whatever function") {
    const Place place;
    for (const char* call : kFileCalls) {
        const std::string script = withPath(call, "t.csv");
        INFO(script);
        CHECK_THROWS_WITH(place.run(script, {.callsPublic = true}, "guest"), Contains("<NoPrivilege>"));
    }
    for (const char* call : kFolderCalls) {
        const std::string script = withPath(call, "./folder");
        INFO(script);
        CHECK_THROWS_WITH(place.run(script, {.callsPublic = true}, "guest"), Contains("<NoPrivilege>"));
    }
}

TEST_CASE("functions with parameters for paths say that they open files") {
    // The paths of these are those of databases; where a database may be a plain folder, they ask for the user's files.
    const std::set<std::string_view> kOfDatabases = {"database",       "dropDB",           "dropDatabase",
                                                     "dropPartition",  "existsPartition",  "getChunksMeta",
                                                     "getTabletsMeta", "existsDatabase",   "getDFSTablesByDatabase",
                                                     "loadColumn",     "getLevelFileData", "getDFSDirectoryContent",
                                                     "readTabletChunk"};
    // Their snapshotDir is refused: there are no snapshots of engines yet.
    const std::set<std::string_view> kRefuse = {"createReactiveStateEngine", "createTimeSeriesEngine",
                                                "createTimeSeriesAggregator"};
    size_t guarded = 0;
    wholeProcess();  // registers the functions
    for (const std::string_view name : FunctionRegistry::instance().names()) {
        const BuiltinFunction& function = FunctionRegistry::instance().get(name);
        for (const Parameter& parameter : function.signature().parameters) {
            const std::string lower = [&] {
                std::string string = parameter.name;
                std::transform(string.begin(), string.end(), string.begin(),
                               [](unsigned char c) { return std::tolower(c); });
                return string;
            }();
            const bool isPath = lower.find("file") != std::string::npos || lower.find("path") != std::string::npos ||
                                lower.find("folder") != std::string::npos || lower == "directory" ||
                                lower.ends_with("dir");
            if (!isPath || kOfDatabases.count(name) > 0 || kRefuse.count(name) > 0) continue;
            INFO(name << ": " << parameter.name);
            const Facet facet = function.declaration().facet;
            CHECK((facet == Facet::Files || facet == Facet::Admin || facet == Facet::Node));
            ++guarded;
        }
    }
    CHECK(guarded > 30);
}

TEST_CASE("plain users work with files in the folders") {
    const Place place;
    CHECK(place.run("(loadText('t.csv')).b[0]").asLong() == 2);
    CHECK(place.run("exec count(*) from select * from 't.csv'").asLong() == 1);
    CHECK(place
              .run("saveText(loadText('t.csv'), 'u.csv', , true); saveText(loadText('t.csv'), 'u.csv', , true);"
                   "(loadText('u.csv')).rows()")
              .asLong() == 2);
    CHECK(place.run("f = file('w.txt', 'w'); f.writeLine('x'); f.close(); file('w.txt').readLine()").string() == "x");
    CHECK(place.run("mr(textChunkDS('t.csv', 1), def(t) {return t.size()}, , sum)").asLong() == 1);
    CHECK(place.run("saveTextFile('3+4', 's.dos'); run('s.dos'); exists('s.dos')").integer() == 1);
    CHECK(place.run("rm('s.dos'); exists('s.dos')").integer() == 0);
    CHECK(place.run("saveTable(database('./tables'), table(1 2 as a), `t); (loadTable('./tables', `t)).rows()")
              .asLong() == 2);
    CHECK(place
              .run("t = mvccTable(1:0, [`a], [INT], './tables', `m); insert into t values(1);"
                   "(loadMvccTable('./tables', `m)).rows()")
              .asLong() == 1);
    CHECK(place.run("exec filename from files('./tables')").size() == 2);
    CHECK(place
              .run("db = database('./parted', VALUE, 1 2); pt = db.createPartitionedTable(table(1:0, [`k], [INT]), `p,"
                   " `k); pt.append!(table(1 2 2 as k)); exec count(*) from loadTable('./parted', `p)")
              .asLong() == 3);
    CHECK(fs::exists(place.own + "/parted/partitioned.pelorus"));
    place.run("dropDatabase('./parted')");
    CHECK_FALSE(fs::exists(place.own + "/parted"));
    CHECK(place.runAsOwner("uploadModule('module tools::one\\ndef f(){return 7}')").string() ==
          place.data + "/modules/tools/one.dos");
    CHECK(place.run("use tools::one\nf()").asLong() == 7);
    place.runAsOwner("saveModule('tools::one')");
    CHECK(fs::exists(place.data + "/modules/tools/one.dom"));
    CHECK_THAT(problemOf(place, "uploadModule('module tools::one\\ndef f(){return 8}', true)"),
               Contains("MODULE_WRITE") || Contains("modules"));
    CHECK_THAT(problemOf(place, "saveModule('tools::one', , true)"), Contains("<NoPrivilege>"));
    CHECK(place.run("use tools::one\nf()").asLong() == 7);
}

TEST_CASE("names of modules lead nowhere else") {
    const Place place;
    std::ofstream(place.data + "/m.dos") << "module m\ndef f(){return 1}";
    for (const char* name : {"..::m", "../m", "/m", "a::..::m", "a/../m", ""}) {
        INFO(name);
        CHECK_FALSE(problemOf(place, "use " + std::string(name) + "\n1").empty());
        CHECK_FALSE(problemOf(place, "loadModule('" + std::string(name) + "')").empty());
        CHECK_FALSE(problemOf(place, "saveModule('" + std::string(name) + "')").empty());
        // A comment ends the name of an uploaded module.
        if (std::string_view(name) == "a/../m") continue;
        CHECK_FALSE(problemOf(place, "uploadModule('module " + std::string(name) + "\\ndef f(){}')").empty());
    }
}

TEST_CASE("a module of one user's folder gives nothing to others who use its name") {
    const Place place;
    fs::create_directories(place.files + "/own");
    std::ofstream(place.files + "/own/shared.dos") << "module shared\ndef f(){return 'own'}";
    std::ofstream(place.data + "/modules/shared.dos") << "module shared\ndef f(){return 'the module'}";
    place.run("loadModule('shared', 'own')");
    CHECK(place.runAsOwner("use shared\nf()").string() == "the module");
}

TEST_CASE("backups are made, listed and restored in the folders") {
    const Place place;
    place.runAsOwner(
        "db = database('dfs://sandboxed', VALUE, 1 2); pt = db.createPartitionedTable(table(1:0, [`k], [INT]), `p, `k);"
        "pt.append!(table(1 2 2 as k))");
    const Principal::Powers powers{.opensFiles = true, .ownsAllData = true, .callsPublic = true};
    CHECK(place.run("backup('kept', 'dfs://sandboxed')", powers).asLong() == 2);
    CHECK(fs::exists(place.own + "/kept/sandboxed/p/table.meta"));
    CHECK(place.run("(getBackupList('kept', 'dfs://sandboxed', `p)).size()", powers).asLong() == 2);
    CHECK(place.run("(restore('kept', 'dfs://sandboxed', `p, \"%\", true)).size()", powers).asLong() == 2);
    fs::rename(place.own + "/kept", place.outside + "/kept");
    CHECK_THROWS_WITH(place.run("restore('" + place.outside + "/kept', 'dfs://sandboxed', `p, \"%\")", powers),
                      Contains("<NoPrivilege>The path " + place.outside + "/kept leads out"));
    place.runAsOwner("dropDatabase('dfs://sandboxed')");
}

TEST_CASE("administrators open any file unless adminFiles confines them") {
    const Place open, confining(true);
    CHECK(open.runAsOwner("(loadText('" + open.outside + "/t.csv')).size()").asLong() == 1);
    CHECK(open.runAsOwner("(loadText('" + open.files + "/link.csv')).size()").asLong() == 1);
    CHECK_THROWS_WITH(confining.runAsOwner("loadText('" + confining.outside + "/t.csv')"), Contains("<NoPrivilege>"));
    CHECK(confining.runAsOwner("(loadText('t.csv')).size()").asLong() == 1);
}
