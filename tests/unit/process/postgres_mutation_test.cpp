// The short, seeded form of tests/fuzz/postgres_fuzzer.cpp: sessions of messages, and such whose bytes were changed.
// PELORUS_FUZZ_ROUNDS makes it longer.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/support/hex.h"
#include "tests/unit/process/postgres_input.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

int rounds(int usual) {
    const char* string = std::getenv("PELORUS_FUZZ_ROUNDS");
    return string ? static_cast<int>(int64_t{usual} * std::atoi(string) / 20'000) : usual;
}

// Sessions of random messages, most of which mean something.
class SessionGenerator {
public:
    explicit SessionGenerator(uint32_t seed) : random_(seed) {}

    size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
    template <size_t N>
    std::string_view oneOf(const std::string_view (&words)[N]) {
        return words[below(N)];
    }

    std::string session() {
        std::string bytes;
        for (size_t i = 0, count = 1 + below(8); i < count; ++i) bytes += oneMessage();
        return bytes + message('S', "");
    }
    std::string mutated(std::string bytes) {
        for (size_t i = 0, count = 1 + below(4); i < count && !bytes.empty(); ++i) {
            const size_t at = below(bytes.size());
            switch (below(4)) {
                case 0:
                    bytes[at] = static_cast<char>(below(256));
                    break;
                case 1:
                    bytes.erase(at, 1 + below(8));
                    break;
                case 2:
                    bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(16)));
                    break;
                default:
                    bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
            }
        }
        return bytes;
    }

private:
    std::string text() {
        static constexpr std::string_view kTexts[] = {"show all",
                                                      "select 1",
                                                      "select $1::int",
                                                      "begin",
                                                      "commit",
                                                      "rollback",
                                                      "savepoint a",
                                                      "rollback to a",
                                                      "set jit = on",
                                                      "declare c cursor with hold for select 1",
                                                      "fetch 2 from c",
                                                      "close c",
                                                      "prepare p as select 1",
                                                      "execute p",
                                                      "deallocate all",
                                                      "discard all",
                                                      "copy (select 1) to stdout",
                                                      "copy (select 1) to stdout (format binary)",
                                                      "",
                                                      ";",
                                                      "select 'x', null, 1.5",
                                                      "explain select 1",
                                                      "set timezone = 'Asia/Tokyo'",
                                                      "nonsense",
                                                      "select 1; select 2"};
        return std::string(oneOf(kTexts));
    }
    std::string name() {
        static constexpr std::string_view kNames[] = {"", "a", "c"};
        return std::string(oneOf(kNames)) + '\0';
    }
    std::string oneMessage() {
        std::string body;
        switch (below(8)) {
            case 0:
            case 1:
                return query(text());
            case 2:
                body = name() + text() + '\0';
                postgres::appendInt16(body, static_cast<int16_t>(below(2)));
                if (body.back() == '\1') postgres::appendInt32(body, 23);
                return message('P', body);
            case 3:
                body = name() + name();
                postgres::appendInt16(body, 0);
                postgres::appendInt16(body, static_cast<int16_t>(below(2)));
                if (body.back() == '\1') {
                    postgres::appendInt32(body, 2);
                    body += "42";
                }
                postgres::appendInt16(body, 1);
                postgres::appendInt16(body, static_cast<int16_t>(below(2)));
                return message('B', body);
            case 4:
                return message('D', (below(2) ? "S" : "P") + name());
            case 5:
                body = name();
                postgres::appendInt32(body, static_cast<int32_t>(below(3)));
                return message('E', body);
            case 6:
                return message('C', (below(2) ? "S" : "P") + name());
            default:
                return message(below(2) ? 'S' : 'H', "");
        }
    }

    std::mt19937 random_;
};

std::string shown(std::string_view bytes) {
    return testing::toHex(bytes.substr(0, 400));
}

}  // namespace

TEST_CASE("random and broken messages of PostgreSQL's protocol are answered, and the server goes on") {
    PostgresExchange exchange(true, &wholeProcess().services());
    size_t answered = 0;
    for (int i = 0; i < rounds(300); ++i) {
        SessionGenerator generator(static_cast<uint32_t>(i));
        std::string bytes = generator.session();
        INFO("seed " << i << ": " << shown(bytes));
        answered += exchange(startup("admin") + bytes).bodies('Z').size() > 1;
        for (int k = 0; k < 2; ++k) {
            const std::string broken = std::string(1, static_cast<char>(generator.below(3))) + generator.mutated(bytes);
            INFO("mutated: " << shown(broken));
            checkPostgresInput(exchange, broken);
        }
        for (int k = 0; k < 20; ++k) {
            std::string parameter(2 + generator.below(24), '\0');
            for (char& c : parameter)
                c = static_cast<char>(generator.below(2) ? generator.below(256) : '0' + generator.below(11));
            parameter[0] = 3;
            INFO("parameter: " << shown(parameter));
            checkPostgresInput(exchange, parameter);
        }
    }
    CHECK(answered > static_cast<size_t>(rounds(300)) * 9 / 10);
    CHECK(exchange.sessions().all().empty());
    CHECK(exchange(startup("admin") + query("show server_encoding")).bodies('D').size() == 1);
}

TEST_CASE("what fuzzing of PostgreSQL's protocol once found is answered") {
    PostgresExchange exchange(true, &wholeProcess().services());
    for (const auto& entry : std::filesystem::directory_iterator(PELORUS_POSTGRES_CORPUS)) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        INFO(entry.path());
        checkPostgresInput(exchange, bytes);
    }
}
