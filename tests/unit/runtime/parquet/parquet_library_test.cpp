#include "runtime/parquet/parquet_library.h"

#include "tests/unit/runtime/parquet/parquet_fixture.h"

namespace pelorus {

TEST_CASE("the library is opened once") {
    if (!testing::hasParquet()) return;
    CHECK(&parquet_file::library() == &parquet_file::library());
}

}  // namespace pelorus
