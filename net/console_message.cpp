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
std::string_view nextField(std::string_view& text) {
    const size_t end = std::min(text.find('\t'), text.size());
    const std::string_view field = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return field;
}

int64_t nextNumber(std::string_view& text) {
    const std::string_view field = nextField(text);
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
            return fmt::format("{}{}\t{}\t{}\t{}", kind, message.text, static_cast<int>(message.unit), message.done,
                               message.total);
        case ConsoleMessage::Kind::Changed:
            return fmt::format("{}{}\t{}", kind, message.changed.appended, message.changed.replaced);
        default:
            return kind + message.text;
    }
}

ConsoleMessage parseConsoleMessage(std::string_view text) {
    if (text.empty()) refuse();
    ConsoleMessage message;
    message.kind = static_cast<ConsoleMessage::Kind>(text[0]);
    text.remove_prefix(1);
    switch (message.kind) {
        case ConsoleMessage::Kind::Print:
        case ConsoleMessage::Kind::Notice:
            message.text = text;
            return message;
        case ConsoleMessage::Kind::Progress: {
            message.text = nextField(text);
            const int64_t unit = nextNumber(text);
            if (unit > static_cast<int64_t>(ProgressUnit::Tasks)) refuse();
            message.unit = static_cast<ProgressUnit>(unit);
            message.done = nextNumber(text);
            message.total = nextNumber(text);
            return message;
        }
        case ConsoleMessage::Kind::Changed:
            message.changed.appended = nextNumber(text);
            message.changed.replaced = nextNumber(text);
            return message;
    }
    refuse();
}

}  // namespace pelorus
