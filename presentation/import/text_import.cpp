#include "presentation/import/text_import.h"

#include "common/error.h"
#include "common/io/packed_file.h"
#include "common/nearest_name.h"
#include "presentation/import/odd_bytes.h"
#include "presentation/import/text_arguments.h"
#include "presentation/import/utf16_file.h"
#include "runtime/function/file_access.h"

namespace pelorus::text {

std::unique_ptr<File> openTextFile(UserFiles& files, const std::string& path) {
    const std::string whole = files.resolve(path);
    if (files.exists(whole)) return openAsUtf8(openUnpacked(files, whole));
    const std::string absolute = absolutePath(whole), folder = folderOf(absolute);
    const std::string wanted = absolute.substr(absolute.rfind('/') + 1);
    std::string hint = "There is no such folder.";
    if (files.isFolder(folder)) {
        const std::vector<std::string> names = files.list(folder);
        hint = didYouMean(nearestNames(wanted, {names.begin(), names.end()}));
    }
    throw SystemError("Cannot open " + absolute + ": No such file or directory.", std::move(hint));
}

TextImport::TextImport(Context& context, const std::string& path, const TextOptions& options, const Value& schema,
                       int schemaArgument)
    : context_(context),
      blocks_(openTextFile(userFiles(context), path), options),
      progress_(context.request->progress, "import", ProgressUnit::Bytes, blocks_.bytesToRead()) {
    summary_.path = path;
    summary_.options = blocks_.options();
    summary_.isDetected = schema.isVoid();
    if (!summary_.isDetected) {
        summary_.schema = schemaFrom(schema, schemaArgument, blocks_.head());
        return;
    }
    summary_.head = blocks_.head();
    const std::vector<std::string>& headings = summary_.head.headings;
    for (size_t i = 0; i < headings.size() && summary_.report.notUtf8.line == 0; ++i) {
        if (findNotUtf8(headings[i]) != std::string::npos) summary_.report.notUtf8 = {summary_.head.firstLine - 1, i};
    }
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
