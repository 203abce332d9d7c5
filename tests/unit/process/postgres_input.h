// Any bytes as those of a client of PostgreSQL's protocol, for a fuzzer and for its short form.
#pragma once

#include <string>
#include <string_view>

#include "postgres/sql_error.h"
#include "server/postgres/wire/field_encoder.h"
#include "server/postgres/wire/parameter_values.h"
#include "tests/unit/process/whole_process.h"
#include "tests/unit/server/postgres/postgres_exchange.h"

namespace pelorus::testing {

// Sends the bytes behind a login (the first one is even) or as the first of a connection, or takes them for a
// parameter. Throws when the server answers anything but messages, or serves nobody any more.
inline void checkPostgresInput(PostgresExchange& exchange, std::string_view bytes) {
    if (bytes.empty()) return;
    const auto kind = static_cast<unsigned char>(bytes[0]) % 4;
    bytes.remove_prefix(1);
    if (kind == 3) {
        if (bytes.empty()) return;
        const auto types = postgres::allTypes();
        const postgres::Oid type = types[static_cast<unsigned char>(bytes[0]) % types.size()].oid;
        for (const bool isBinary : {false, true}) {
            try {
                const Value value = postgres::parseParameter(type, bytes.substr(1), isBinary, {});
                for (const bool toBinary : {false, true}) {
                    std::string field;
                    postgres::makeFieldEncoder({.label = {}, .type = type}, toBinary, value, {})->append(field, 0);
                }
            } catch (const UserError&) {
            }
        }
        return;
    }
    const Answer answer = exchange(kind == 2 ? std::string(bytes) : startup("admin") + std::string(bytes));
    for (const std::string& state : answer.bodies('E'))
        if (state.find("XX000") != std::string::npos) throw InternalError("an error of ours: " + state);
}

}  // namespace pelorus::testing
