// Import of one delimited text file, shared by loadText, ploadText and loadTextEx.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/io/user_files.h"
#include "presentation/import/import_notice.h"
#include "presentation/import/text_blocks.h"
#include "runtime/function/context.h"
#include "runtime/function/progress.h"
#include "runtime/value/value.h"

namespace pelorus::text {

// An import of one file: it opens the file, decides on its columns, parses it block by block on all cores and records
// its changes and the fields that it could not read. It shows its progress as "import", in bytes of the file, or of the
// packed one when its unpacked size is unknown.
class TextImport {
public:
    // `schema`: a script's table, or VOID to detect names and types. Throws SystemError that names the file and the
    // near ones in its folder when it is absent, UserError when it is empty or the schema does not fit it.
    TextImport(Context& context, const std::string& path, const TextOptions& options, const Value& schema,
               int schemaArgument);

    const TextSchema& schema() const { return summary_.schema; }
    // Returns the next rows, from `mostBytes` of the file or a little more; null at the end. Throws when the request
    // was cancelled.
    Ref<MemoryTable> next(size_t mostBytes);
    // Returns all rows in one table.
    Ref<MemoryTable> readAll();
    // Reports to the person at the console which fields were changed or could not be read; prints only the losses for a
    // program. Prints nothing when all is well.
    void tell() const;

private:
    Context& context_;
    TextBlocks blocks_;
    ImportSummary summary_;
    ProgressPhase progress_;
};

// Opens a text file, unpacked and as UTF-8. Throws SystemError with the near names in its folder when there is no such
// file.
std::unique_ptr<File> openTextFile(UserFiles& files, const std::string& path);

// Sends a message to the person who watches the statement, or prints it when nobody does.
void tellOrPrint(const Context& context, const std::string& message);

}  // namespace pelorus::text
