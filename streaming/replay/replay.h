// Replay of historical rows in the order of their time, at a chosen pace.
#pragma once

#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

// Rows in the order of their time: tables in memory and data sources, read one after the other.
struct ReplayInput {
    std::vector<Value> parts;
    std::string dateColumn, timeColumn;  // one of them, or a DATE and a time of the day
    Value key;                           // of a replay into one table of messages
};

struct ReplayPace {
    enum class Mode : uint8_t {
        Full,     // as fast as possible
        Rows,     // `rate` rows a second
        Span,     // `rate` times as fast as the rows' time passed, every second as many rows
        Precise,  // `rate` times as fast, each row in its time
    };
    Mode mode = Mode::Full;
    int64_t rate = 0;
};

struct Replay {
    std::vector<ReplayInput> inputs;
    // One per input, or one for all: tables in memory, which are changed under all their names, partitioned ones, and
    // those that hand their rows on, such as stream engines.
    std::vector<Value> outputs;
    // The output takes messages: the time, the key of the input, the row as bytes, then columns that inputs share.
    bool asMessages = false;
    ReplayPace pace;
    std::vector<std::string> sortColumns;  // order rows of one time
    int parallelLevel = 1;                 // data sources of one input that are loaded at once
};

// Returns when all rows are written; rows of one time from several inputs come in the order of the inputs. Throws
// UserError when columns do not fit; what was written before stays.
void replay(const Replay& replay, Context& context);

}  // namespace pelorus
