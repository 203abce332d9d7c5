// Models in files.
#include <catch2/catch.hpp>

#include "common/io/user_files.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/stdlib/files/called.h"
#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a model is loaded as it was saved; a damaged or other file is refused by name") {
    const TemporaryFolder folder;
    const Services services;
    Request request(Principal::owner());
    Context context(services, request);
    const std::string path = folder / "m.bin";
    const Value data = tableOf({"y", "x"}, {{1, 3, 5, 7}, {0, 1, 2, 3}});
    const Value model =
        called("randomForestRegressor", {data, text("y"), text("x"), {}, {}, {}, {}, {}, {}, Value::ofInt(1)});
    CHECK(testing::called(context, "saveModel", {model, text(path)}).integer() == 1);
    const Value loaded = testing::called(context, "loadModel", {text(path)});
    CHECK(identical(memberOf(loaded, "model"), memberOf(model, "model")));
    CHECK(memberOf(loaded, "predict").function().name() == "randomForestRegressorPredict");

    UserFiles& files = UserFiles::machine();
    std::string bytes(static_cast<size_t>(files.openForRead(path)->size()), '\0');
    files.openForRead(path)->readAt(0, bytes.data(), bytes.size());
    bytes[bytes.size() / 2] ^= 1;
    files.create(folder / "damaged.bin")->append(bytes);
    CHECK_THROWS_WITH(testing::called(context, "loadModel", {text(folder / "damaged.bin")}),
                      Catch::Contains("damaged"));
    files.create(folder / "other.bin")->append("none of ours at all");
    CHECK_THROWS_WITH(testing::called(context, "loadModel", {text(folder / "other.bin")}),
                      Catch::Contains("holds no model"));
    files.create(folder / "short.bin")->append(bytes.substr(0, 9));
    CHECK_THROWS_AS(testing::called(context, "loadModel", {text(folder / "short.bin")}), UserError);
    CHECK_THROWS_AS(testing::called(context, "saveModel", {numbers({1}), text(path)}), UserError);
}
