// Folders and files of the machine that runs the script.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "common/error.h"
#include "runtime/function/file_access.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

std::string pathOf(const Value& v, int argument = 0) {
    if (!v.isString() || v.string().empty()) throw UserError(argument, "The path must be a string that is not empty.");
    return std::string(v.string());
}

// Returns the last name of a path: "data" of "/tmp/data/".
std::string nameIn(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    return std::string(path.substr(path.rfind('/') + 1));
}

// A link that leads out of the user's folders is listed, and nothing is told of what it leads to.
FileFacts factsOfEntry(UserFiles& files, const std::string& path) {
    try {
        return files.facts(path).value_or(FileFacts());
    } catch (const UserError&) {
        return {};
    }
}

Value filesKernel(Context& context, Arguments arguments) {
    UserFiles& files = userFiles(context);
    const std::string given = pathOf(arguments[0]), folder = files.resolve(given);
    if (!files.isFolder(folder)) throw UserError(0, fmt::format("There is no folder {}.", given), "Check the path.");
    std::vector<std::string> names;
    std::vector<int8_t> isFolder;
    std::vector<int64_t> sizes, accessed, modified;
    for (const std::string& name : files.list(folder)) {
        if (!isOmitted(arguments[1]) && !isLike(Value::ofString(name), arguments[1]).integer()) continue;
        const FileFacts facts = factsOfEntry(files, joinPath(folder, name));
        names.push_back(name);
        isFolder.push_back(facts.isFolder);
        sizes.push_back(facts.isFolder ? 0 : facts.sizeBytes);
        accessed.push_back(facts.accessedMillis);
        modified.push_back(facts.modifiedMillis);
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"filename", "isDir", "fileSize", "lastAccessed", "lastModified"},
        std::vector<Value>{Value::of(Vector::ofStrings(names)), Value::of(Vector::of(Type::Bool, isFolder)),
                           Value::of(Vector::of(Type::Long, sizes)), Value::of(Vector::of(Type::Timestamp, accessed)),
                           Value::of(Vector::of(Type::Timestamp, modified))})));
}

// Returns whether the path is that of a database, or of a partition of any of its tables. The layer that knows them is
// above this one and is called by the names of its functions.
bool isThereInDatabases(Context& context, const std::string& path) {
    const FunctionRegistry& registry = FunctionRegistry::instance();
    if (registry.find("existsPartition") == nullptr) return false;
    const auto call = [&](const char* function, std::vector<Value> arguments) {
        return registry.get(function).call(context, arguments);
    };
    if (isTrue(call("existsDatabase", {Value::ofString(path)}))) return true;
    if (isTrue(call("existsPartition", {Value::ofString(path)}))) return true;
    for (size_t slash = path.rfind('/'); slash != std::string::npos && slash > 6; slash = path.rfind('/', slash - 1)) {
        const Value database = Value::ofString(path.substr(0, slash));
        if (!isTrue(call("existsDatabase", {database}))) continue;
        const Value tables = call("getTables", {call("database", {database})});
        for (int64_t i = 0; i < tables.size(); ++i) {
            if (isTrue(call("existsPartition", {Value::ofString(path), tables.at(i)}))) return true;
        }
    }
    return false;
}

bool isThere(Context& context, const Value& path) {
    const std::string string = pathOf(path);
    return string.starts_with("dfs://") ? isThereInDatabases(context, string) : userFiles(context).exists(string);
}

Value existsKernel(Context& context, Arguments arguments) {
    const Value& paths = arguments[0];
    if (paths.isScalar()) return Value::ofBool(isThere(context, paths));
    std::vector<int8_t> found;
    for (int64_t i = 0; i < paths.size(); ++i) found.push_back(isThere(context, paths.at(i)) ? 1 : 0);
    return Value::of(Vector::of<int8_t>(Type::Bool, found));
}

Value mkdirKernel(Context& context, Arguments arguments) {
    userFiles(context).makeFolder(pathOf(arguments[0]));
    return Value();
}

Value rmKernel(Context& context, Arguments arguments) {
    UserFiles& files = userFiles(context);
    const std::string given = pathOf(arguments[0]), path = files.resolve(given);
    const std::vector<std::string> names = files.list(folderOf(path));
    if (std::find(names.begin(), names.end(), nameIn(path)) == names.end())
        throw UserError(0, fmt::format("{} can't be removed: there is no such file.", given));
    files.remove(path);
    return Value();
}

// rmdir(directory, [recursive], [keepRootDir])
Value rmdirKernel(Context& context, Arguments arguments) {
    UserFiles& files = userFiles(context);
    const std::string given = pathOf(arguments[0]), folder = files.resolve(given);
    const bool recursive = flagArgument(arguments, 1, "recursive", false);
    const bool keepRoot = flagArgument(arguments, 2, "keepRootDir", false);
    if (keepRoot && !recursive) throw UserError(2, "keepRootDir needs recursive to be true.");
    if (!files.isFolder(folder)) throw UserError(0, fmt::format("There is no folder {}.", given));
    if (recursive) {
        files.removeAll(folder, keepRoot);
    } else if (!files.list(folder).empty()) {
        throw UserError(0, fmt::format("The folder {} can't be removed: Directory not empty.", given),
                        "Give recursive=true to remove what is in it too.");
    } else {
        files.remove(folder);
    }
    return Value();
}

// saveTextFile(content, filename, [append], [lastModified])
Value saveTextFileKernel(Context& context, Arguments arguments) {
    UserFiles& files = userFiles(context);
    const std::string content = stringArgument(arguments, 0, "content");
    const std::string path = files.resolve(pathOf(arguments[1], 1));
    const bool append = flagArgument(arguments, 2, "append", false);
    {
        const FileStream file = files.openStream(path, append ? "a" : "w");
        if (std::fwrite(content.data(), 1, content.size(), file.get()) != content.size() ||
            std::fflush(file.get()) != 0)
            throw SystemError(fmt::format("The file {} can't be written.", path), "Check the folder and its rights.");
    }
    if (isGiven(arguments, 3)) files.setModified(path, integerArgument(arguments, 3, "lastModified"));
    return Value::ofBool(true);
}

}  // namespace

void registerFiles(FunctionRegistry& registry) {
    registry.add(
        "files(directory, [pattern])", filesKernel,
        {.summary =
             "What is in a folder, as a table: filename, isDir, fileSize in bytes, lastAccessed, lastModified (UTC).",
         .parameters = "pattern: as in like, with % and ?",
         .errors = "The folder can't be read.",
         .example = "select filename, fileSize from files(\"/data\", \"%.csv\")"},
        kReads);
    registry.add("saveTextFile(content, filename, [append=false], [lastModified])", saveTextFileKernel,
                 {.summary = "Writes a string into a file, or after its contents; returns true.",
                  .parameters = "lastModified: when the file is to say that it was changed, in milliseconds since 1970",
                  .errors = "The file can't be written.",
                  .example = "saveTextFile(\"AAPL,MSFT\", \"/data/symbols.txt\")"});
    registry.add("exists(path)", existsKernel,
                 {.summary = "Whether there is a file, folder, database or partition of that path, as BOOL; of "
                             "several paths, each.",
                  .example = "exists(\"/data/quotes.csv\")"},
                 kReads);
    registry.add(
        "mkdir(directory)", mkdirKernel,
        {.summary = "Makes a folder, and those above it that are missing.", .example = "mkdir(\"/data/export/2024\")"});
    registry.add("rm(path)", rmKernel,
                 {.summary = "Removes a file or an empty folder.",
                  .errors = "There is no such file.",
                  .example = "rm(\"/data/old_quotes.csv\")"});
    registry.add("rmdir(directory, [recursive=false], [keepRootDir=false])", rmdirKernel,
                 {.summary = "Removes a folder.",
                  .parameters = "recursive: with all that is in it\nkeepRootDir: only what is in it",
                  .errors = "There is no such folder, or it is not empty.",
                  .example = "rmdir(\"/data/export\", true)"});
}

}  // namespace pelorus
