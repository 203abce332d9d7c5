// Folders and files of the machine that runs the script.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

namespace fs = std::filesystem;

std::string pathOf(const Value& v, int argument = 0) {
    if (!v.isText() || v.text().empty()) throw UserError(argument, "The path must be a string that is not empty.");
    return std::string(v.text());
}

Value filesKernel(Context&, Arguments arguments) {
    std::string folder = pathOf(arguments[0]);
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    if (error) {
        throw UserError(0, fmt::format("The folder {} can't be read: {}.", folder, error.message()), "Check the path.");
    }
    std::vector<std::string> names;
    std::vector<int8_t> isFolder;
    std::vector<int64_t> sizes, accessed, modified;
    for (const fs::directory_entry& entry : entries) {
        std::string name = entry.path().filename().string();
        if (!isOmitted(arguments[1]) && !isLike(Value::ofString(name), arguments[1]).integer()) continue;
        bool directory = entry.is_directory(error);
        auto written = std::chrono::file_clock::to_sys(entry.last_write_time(error)).time_since_epoch();
        int64_t millis = std::chrono::duration_cast<std::chrono::milliseconds>(written).count();
        names.push_back(name);
        isFolder.push_back(directory);
        sizes.push_back(directory ? 0 : static_cast<int64_t>(entry.file_size(error)));
        accessed.push_back(millis);
        modified.push_back(millis);
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"filename", "isDir", "fileSize", "lastAccessed", "lastModified"},
        std::vector<Value>{Value::of(Vector::ofStrings(names)), Value::of(Vector::of(Type::Bool, isFolder)),
                           Value::of(Vector::of(Type::Long, sizes)), Value::of(Vector::of(Type::Timestamp, accessed)),
                           Value::of(Vector::of(Type::Timestamp, modified))})));
}

// Whether the path is that of a database, or of a partition of any of its tables. The layer that knows them is above
// this one and is called by the names of its functions.
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
    const std::string text = pathOf(path);
    std::error_code error;
    return text.starts_with("dfs://") ? isThereInDatabases(context, text) : fs::exists(text, error);
}

Value existsKernel(Context& context, Arguments arguments) {
    const Value& paths = arguments[0];
    if (paths.isScalar()) return Value::ofBool(isThere(context, paths));
    std::vector<int8_t> found;
    for (int64_t i = 0; i < paths.size(); ++i) found.push_back(isThere(context, paths.at(i)) ? 1 : 0);
    return Value::of(Vector::of<int8_t>(Type::Bool, found));
}

Value mkdirKernel(Context&, Arguments arguments) {
    std::string folder = pathOf(arguments[0]);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw UserError(0, fmt::format("The folder {} can't be made: {}.", folder, error.message()));
    return Value();
}

Value rmKernel(Context&, Arguments arguments) {
    std::string path = pathOf(arguments[0]);
    std::error_code error;
    if (!fs::remove(path, error)) {
        throw UserError(
            0, fmt::format("{} can't be removed: {}.", path, error ? error.message() : "there is no such file"));
    }
    return Value();
}

// rmdir(directory, [recursive], [keepRootDir])
Value rmdirKernel(Context&, Arguments arguments) {
    const std::string folder = pathOf(arguments[0]);
    const bool recursive = flagArgument(arguments, 1, "recursive", false);
    const bool keepRoot = flagArgument(arguments, 2, "keepRootDir", false);
    if (keepRoot && !recursive) throw UserError(2, "keepRootDir needs recursive to be true.");
    std::error_code error;
    if (!fs::is_directory(folder, error)) throw UserError(0, fmt::format("There is no folder {}.", folder));
    if (!recursive) {
        if (!fs::remove(folder, error)) {
            throw UserError(0, fmt::format("The folder {} can't be removed: {}.", folder, error.message()),
                            "Give recursive=true to remove what is in it too.");
        }
        return Value();
    }
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        fs::remove_all(entry.path(), error);
        if (error) break;
    }
    if (!error && !keepRoot) fs::remove(folder, error);
    if (error) throw UserError(0, fmt::format("The folder {} can't be removed: {}.", folder, error.message()));
    return Value();
}

// saveTextFile(content, filename, [append], [lastModified])
Value saveTextFileKernel(Context&, Arguments arguments) {
    const std::string content = stringArgument(arguments, 0, "content");
    const std::string path = pathOf(arguments[1], 1);
    const bool append = flagArgument(arguments, 2, "append", false);
    std::ofstream file(path, append ? std::ios::app | std::ios::binary : std::ios::trunc | std::ios::binary);
    file << content;
    file.close();
    if (!file)
        throw SystemError(fmt::format("The file {} can't be written.", path), "Check the folder and its rights.");
    if (isGiven(arguments, 3)) {
        const std::chrono::sys_time<std::chrono::milliseconds> modified(
            std::chrono::milliseconds(integerArgument(arguments, 3, "lastModified")));
        std::error_code ignored;
        fs::last_write_time(path, std::chrono::file_clock::from_sys(modified), ignored);
    }
    return Value::ofBool(true);
}

}  // namespace

void registerFiles(FunctionRegistry& registry) {
    registry.add(
        "files(directory, [pattern])", filesKernel,
        {.summary =
             "What is in a folder, as a table: filename, isDir, fileSize in bytes, lastAccessed, lastModified (UTC).",
         .parameters = "pattern: as in like, with % and ?",
         .errors = "The folder can't be read."},
        kReads);
    registry.add("saveTextFile(content, filename, [append=false], [lastModified])", saveTextFileKernel,
                 {.summary = "Writes a string into a file, or after its contents; returns true.",
                  .parameters = "lastModified: when the file is to say that it was changed, in milliseconds since 1970",
                  .errors = "The file can't be written."});
    registry.add("exists(path)", existsKernel,
                 {.summary = "Whether there is a file, folder, database or partition of that path, as BOOL; of "
                             "several paths, each."},
                 kReads);
    registry.add("mkdir(directory)", mkdirKernel, {.summary = "Makes a folder, and those above it that are missing."});
    registry.add("rm(path)", rmKernel,
                 {.summary = "Removes a file or an empty folder.", .errors = "There is no such file."});
    registry.add("rmdir(directory, [recursive=false], [keepRootDir=false])", rmdirKernel,
                 {.summary = "Removes a folder.",
                  .parameters = "recursive: with all that is in it\nkeepRootDir: only what is in it",
                  .errors = "There is no such folder, or it is not empty."});
}

}  // namespace pelorus
