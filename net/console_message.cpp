#include "net/console_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "common/error.h"

namespace pelorus {

namespace {

[[noreturn]] void refuse() {
    throw SystemError("The node sends a message that this console does not understand.",
                      "Use a console of the node's release.");
}

// Takes the characters up to the next tab, or all of them.
std::string_view nextField(std::string_view& string) {
    const size_t end = std::min(string.find('\t'), string.size());
    const std::string_view field = string.substr(0, end);
    string.remove_prefix(std::min(end + 1, string.size()));
    return field;
}

int64_t nextNumber(std::string_view& string) {
    const std::string_view field = nextField(string);
    int64_t number = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    if (error != std::errc() || end != field.data() + field.size() || number < 0) refuse();
    return number;
}

}  // namespace

std::string formatConsoleMessage(const ConsoleMessage& message) {
    const char kind = static_cast<char>(message.kind);
    switch (message.kind) {
        case ConsoleMessage::Kind::Progress:
            return fmt::format("{}{}\t{}\t{}\t{}", kind, message.string, static_cast<int>(message.unit), message.done,
                               message.total);
        case ConsoleMessage::Kind::Changed:
            return fmt::format("{}{}\t{}", kind, message.changed.appended, message.changed.replaced);
        default:
            return kind + message.string;
    }
}

ConsoleMessage parseConsoleMessage(std::string_view string) {
    if (string.empty()) refuse();
    ConsoleMessage message;
    message.kind = static_cast<ConsoleMessage::Kind>(string[0]);
    string.remove_prefix(1);
    switch (message.kind) {
        case ConsoleMessage::Kind::Print:
        case ConsoleMessage::Kind::Notice:
            message.string = string;
            return message;
        case ConsoleMessage::Kind::Progress: {
            message.string = nextField(string);
            const int64_t unit = nextNumber(string);
            if (unit > static_cast<int64_t>(ProgressUnit::Tasks)) refuse();
            message.unit = static_cast<ProgressUnit>(unit);
            message.done = nextNumber(string);
            message.total = nextNumber(string);
            return message;
        }
        case ConsoleMessage::Kind::Changed:
            message.changed.appended = nextNumber(string);
            message.changed.replaced = nextNumber(string);
            return message;
    }
    refuse();
}

}  // namespace pelorus
