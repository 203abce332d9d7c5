#include "sql/operators/driver.h"

namespace pelorus {

void drive(const std::vector<Morsel>& morsels, Filter& filter, const std::vector<int>& columns, Sink& sink,
           Context& context) {
    sink.open(morsels.size());
    forEachMorsel(morsels, columns, context, [&](size_t number, const Morsel& morsel, Context& own) {
        for (int block = morsel.firstBlock; block < morsel.endBlock; ++block) {
            own.checkCancelled();
            if (!sink.wants(number, *morsel.reader, block)) continue;
            const Filter::Selection selection = filter.select(*morsel.reader, block, own);
            if (!selection.all && selection.positions.empty()) continue;
            BlockRows rows(*morsel.reader, block, selection);
            sink.push(number, block, rows, own);
        }
        sink.close(number);
    });
}

}  // namespace pelorus
