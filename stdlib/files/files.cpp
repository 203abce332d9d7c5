// Folders and files of the machine that runs the script.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "runtime/kernel/operators.h"
#include "runtime/table.h"
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

Value existsKernel(Context&, Arguments arguments) {
    std::error_code error;
    return Value::ofBool(fs::exists(pathOf(arguments[0]), error));
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
    const std::string content = textArgument(arguments, 0, "content");
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
         .errors = "The folder can't be read."});
    registry.add("saveTextFile(content, filename, [append=false], [lastModified])", saveTextFileKernel,
                 {.summary = "Writes a text into a file, or behind what it holds; returns true.",
                  .parameters = "lastModified: when the file is to say that it was changed, in milliseconds since 1970",
                  .errors = "The file can't be written."});
    registry.add("exists(path)", existsKernel, {.summary = "Whether there is a file or folder of that path, as BOOL."});
    registry.add("mkdir(directory)", mkdirKernel, {.summary = "Makes a folder, and those above it that are missing."});
    registry.add("rm(path)", rmKernel,
                 {.summary = "Removes a file or an empty folder.", .errors = "There is no such file."});
    registry.add("rmdir(directory, [recursive=false], [keepRootDir=false])", rmdirKernel,
                 {.summary = "Removes a folder.",
                  .parameters = "recursive: with all that is in it\nkeepRootDir: only what is in it",
                  .errors = "There is no such folder, or it is not empty."});
}

}  // namespace pelorus
