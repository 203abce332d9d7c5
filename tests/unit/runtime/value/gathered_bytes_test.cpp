#include "runtime/value/gathered_bytes.h"

#include <catch2/catch.hpp>

#include "runtime/value/vector.h"

namespace pelorus {

TEST_CASE("pieces keep their order, whether they are copied, kept or referred to") {
    GatheredBytes bytes;
    bytes.append("a");
    bytes.append("b");
    bytes.take(std::string(5000, 'c'));
    std::string expected = "ab" + std::string(5000, 'c');
    {
        const Value owner = Value::of(Vector::filled(Type::Char, 4000, Value::ofInt('d')));
        bytes.refer({owner.vector().raw(), 4000}, owner);
        bytes.refer({owner.vector().raw(), 3}, owner);
    }
    expected += std::string(4003, 'd');
    GatheredBytes last;
    last.append("e");
    bytes.take(std::move(last));
    CHECK(bytes.size() == 9006);
    CHECK(bytes.joined() == expected + "e");
    CHECK(last.size() == 0);
    std::string joined;
    for (const std::string_view piece : bytes.pieces()) joined += piece;
    CHECK(joined == bytes.joined());
    CHECK(bytes.pieces()[2].size() == 4000);
    bytes.clear();
    CHECK(bytes.pieces().empty());
}

TEST_CASE("long copies begin new pieces, and are not copied again") {
    GatheredBytes bytes;
    const std::string piece(300'000, 'x');
    for (int i = 0; i < 10; ++i) bytes.append(piece);
    CHECK(bytes.size() == 3'000'000);
    CHECK(bytes.pieces().size() == 4);
}

}  // namespace pelorus
