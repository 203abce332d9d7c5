#include <catch2/catch.hpp>

#include "common/error.h"
#include "common/io/user_files.h"
#include "runtime/function/principal.h"
#include "tests/support/mixed_table.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/stdlib/files/called.h"

namespace pelorus {

using namespace testing;

TEST_CASE("a table is saved as Feather and loaded again; what is no such file is refused by name") {
    const TemporaryFolder folder;
    const Services services;
    Request request(Principal::owner());
    Context context(services, request);
    const Ref<MemoryTable> table = mixedTable(30);
    const Value path = Value::ofString(folder / "t.feather"), rows = Value::of(Ref<Table>(table));
    for (const char* method : {"uncompressed", "LZ4", "zstd"}) {
        called(context, "feather::save", {rows, path, Value::ofString(method)});
        CHECK(firstDifference(*table, *tableToRead(called(context, "feather::load", {path}))) == "");
    }
    CHECK(called(context, "feather::load", {path, Value::ofString("c4")}).table().columnCount() == 1);
    CHECK(called(context, "feather::extractSchema", {path}).table().rowCount() == table->columnCount());
    CHECK_THROWS_AS(called(context, "feather::load", {path, Value::ofString("z")}), UserError);
    CHECK_THROWS_AS(called(context, "feather::save", {rows, path, Value::ofString("rar")}), UserError);
    UserFiles::machine().create(folder / "text.feather")->append("not a file of Arrow at all");
    CHECK_THROWS_WITH(called(context, "feather::load", {Value::ofString(folder / "text.feather")}),
                      Catch::Contains("text.feather is no whole Arrow file"));
}

}  // namespace pelorus
