#include "sql/operators/driver.h"

#include "common/check.h"

namespace pelorus {

void drive(const std::vector<Morsel>& morsels, Filter& filter, const std::vector<int>& columns, Sink& sink,
           Context& context) {
    sink.open(morsels.size());
    forEachMorsel(morsels, columns, context, [&](size_t number, const Morsel& morsel, Context& own) {
        CHECK(morsel.endBlock <= morsel.reader->blockCount()) << "a morsel ends within its partition";
        for (int block = morsel.firstBlock; block < morsel.endBlock; ++block) {
            own.checkCancelled();
            if (!sink.wants(number, *morsel.reader, block)) continue;
            const Filter::Selection selection = filter.select(*morsel.reader, block, own);
            if (!selection.all && selection.positions.empty()) continue;
            CHECK(selection.all || selection.positions.back() < morsel.reader->blockRows(block))
                << "a selection names rows of its block";
            BlockRows rows(*morsel.reader, block, selection);
            sink.push(number, block, rows, own);
        }
        sink.close(number);
    });
}

}  // namespace pelorus
