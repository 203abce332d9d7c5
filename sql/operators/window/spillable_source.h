// A source whose rows may exceed memory: how many there are, and parts of them on disk.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/spill/spilled_parts.h"

namespace pelorus {

class KeyRanges;
struct RowSource;

// Whether these columns of a source can be spilled: partitions of this node, with a folder for files.
bool canSpill(const RowSource& source, const std::vector<int>& columns, Context& context);
// Returns these columns of a source.
TableSchema columnsOf(const RowSource& source, const std::vector<int>& numbers);

// The rows of a scan, which are read several times. Refers to the source.
class SpillableSource {
public:
    SpillableSource(const RowSource& source, const NodeList& conditions, Context& context);
    ~SpillableSource();

    // Whether the rows need more memory than there is, where each needs so many bytes.
    bool exceedsMemory(int64_t bytesOfRow);

    const TableSchema& columns() const;
    // Returns the rows in memory, with these columns.
    Ref<MemoryTable> rows(const std::vector<int>& columns);
    // Spills the rows with their numbers, which rise with the table.
    SpilledParts parts(const RowCut& cut, const std::vector<int>& columns);
    // Returns ranges of a sample of the keys; nothing where their order has no words.
    std::optional<KeyRanges> ranges(const std::vector<ExpressionProgram>& keys);

private:
    std::vector<Morsel> morsels();

    const RowSource& source_;
    Context& context_;
    const std::unique_ptr<Filter> filter_;
};

// Cuts rows by ranges of the keys. Refers to both.
RowCut cutByRanges(const std::vector<ExpressionProgram>& keys, const KeyRanges& ranges);

}  // namespace pelorus
