#include "sql/operators/top_n_cost.h"

#include <algorithm>

#include "sql/spill/spilled_parts.h"

namespace pelorus {

// Costs are in bytes moved once, as measured: a row that a leaf holds is compared several times, by words or, for
// strings, byte by byte. A sort goes once over the keys, and needs the other columns of all rows; late columns need the
// blocks of the chosen ones.
static constexpr double kHeldCost = 16, kHeldStringCost = 64;
static constexpr int64_t kFewHeld = 4096;  // rows that cost nothing

bool prefersTopN(const TopRowsNode& node, const std::vector<Morsel>& morsels, bool isDecoded, bool allPass) {
    const ExpressionProgram& first = node.items[node.keys[0].item].value;
    const bool isString = storageOf(first.resultType()) == Storage::String;
    const bool isBounded = !isString && !node.keys[0].nullsGiven;  // what one leaf found bounds the others
    int64_t rows = 0, held = 0, blocks = 0;
    for (const Morsel& morsel : morsels) {
        const int64_t own = morsel.rows();
        rows += own;
        blocks += morsel.endBlock - morsel.firstBlock;
        if (isBounded) {
            held += std::min(node.count, own);
            continue;
        }
        for (int b = morsel.firstBlock; b < morsel.endBlock; ++b)
            held += std::min(node.count, morsel.reader->blockRows(b));
    }
    TableSchema keys, all;
    for (const TopKey& key : node.keys) keys.push_back(node.items[key.item].schema());
    for (const RowItem& item : node.items) all.push_back(item.schema());
    const auto keyBytes = static_cast<double>(estimatedRowBytes(keys));
    const auto otherBytes = static_cast<double>(estimatedRowBytes(all)) - keyBytes;
    double saved = keyBytes;
    if (isDecoded) {
        const double fetched =
            static_cast<double>(std::min(node.count, blocks)) / static_cast<double>(std::max<int64_t>(blocks, 1));
        saved += otherBytes * (1 - fetched);
    } else if (!allPass) {
        saved += otherBytes;
    }
    const double each = keyBytes * (isString ? kHeldStringCost : kHeldCost);
    return held <= kFewHeld || static_cast<double>(held) * each <= static_cast<double>(rows) * saved;
}

}  // namespace pelorus
