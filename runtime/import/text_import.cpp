#include "runtime/import/text_import.h"

#include <filesystem>

#include "common/error.h"
#include "common/io/packed_file.h"
#include "common/nearest_name.h"
#include "runtime/import/text_arguments.h"

namespace pelorus::text {

std::string existingFile(const std::string& path) {
    FileSystem& files = FileSystem::posix();
    if (files.exists(path)) return path;
    std::error_code ignored;
    const std::filesystem::path absolute = std::filesystem::absolute(path, ignored).lexically_normal();
    const std::vector<std::string> names = files.list(absolute.parent_path().string());
    const std::string wanted = absolute.filename().string();
    const std::vector<std::string_view> near = nearestNames(wanted, {names.begin(), names.end()});
    std::string hint = didYouMean(near);
    if (near.empty() && !files.exists(absolute.parent_path().string())) hint = "There is no such folder.";
    throw SystemError("Cannot open " + absolute.string() + ": No such file or directory.", std::move(hint));
}

TextImport::TextImport(Context& context, const std::string& path, const TextOptions& options, const Value& schema,
                       int schemaArgument)
    : context_(context),
      blocks_(openUnpacked(FileSystem::posix(), existingFile(path)), options),
      progress_(context.request->progress, "import", ProgressUnit::Bytes, blocks_.bytesToRead()) {
    summary_.path = path;
    summary_.options = blocks_.options();
    summary_.isDetected = schema.isVoid();
    if (!summary_.isDetected) {
        summary_.schema = schemaFrom(schema, schemaArgument, blocks_.head());
        return;
    }
    summary_.head = blocks_.head();
    summary_.schema = blocks_.detectSchema(context.request->notice ? &summary_.odd : nullptr);
}

Ref<MemoryTable> TextImport::next(size_t mostBytes) {
    context_.checkCancelled();
    return parseBlocks(blocks_, mostBytes, summary_.schema, summary_.report, &summary_.odd, &progress_);
}

Ref<MemoryTable> TextImport::readAll() {
    constexpr size_t kBytesBetweenChecks = 256 << 20;
    Ref<MemoryTable> all;
    while (Ref<MemoryTable> rows = next(kBytesBetweenChecks)) {
        if (!all)
            all = std::move(rows);
        else
            all->append(*rows);
    }
    if (!all) all = parseLines("", summary_.schema, summary_.options, 1, summary_.report);
    return all;
}

void tellOrPrint(const Context& context, const std::string& message) {
    if (message.empty()) return;
    const auto& listener = context.request->notice ? context.request->notice : context.request->print;
    if (listener) listener(message);
}

void TextImport::tell() const {
    tellOrPrint(context_, context_.request->notice ? importNotice(summary_) : importLosses(summary_));
}

}  // namespace pelorus::text
