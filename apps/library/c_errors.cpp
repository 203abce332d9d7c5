// Errors of the C interface.
#include "apps/console/error_text.h"
#include "apps/library/c_objects.h"
#include "common/error.h"
#include "interpreter/parser/parser.h"
#include "interpreter/vm/vm.h"
#include "runtime/memory/budget.h"

namespace pelorus {

namespace {

// The error of a process that has no memory for one.
pelorus_error noMemory{PELORUS_MEMORY_ERROR, "Out of memory.", "", "Out of memory.", 0, 0};

bool wasCancelled(std::string_view message) {
    return message.find("cancelled") != std::string_view::npos || message.find("canceled") != std::string_view::npos;
}

pelorus_error* errorOf(const std::exception& exception, std::string_view script) {
    auto error = std::make_unique<pelorus_error>();
    error->kind = PELORUS_INTERNAL_ERROR;
    error->message = exception.what();
    SourcePosition place;
    if (const auto* syntax = dynamic_cast<const SyntaxError*>(&exception)) {
        error->kind = PELORUS_SYNTAX_ERROR;
        place = syntax->position;
    } else if (const auto* user = dynamic_cast<const UserError*>(&exception)) {
        error->kind = wasCancelled(error->message) ? PELORUS_CANCELLED : PELORUS_USER_ERROR;
        place = user->place();
        if (const auto* ran = dynamic_cast<const ScriptError*>(user)) place = ran->position;
    } else if (dynamic_cast<const memory::OutOfMemory*>(&exception)) {
        error->kind = PELORUS_MEMORY_ERROR;
    } else if (dynamic_cast<const SystemError*>(&exception)) {
        error->kind = PELORUS_SYSTEM_ERROR;
    } else if (dynamic_cast<const std::bad_alloc*>(&exception)) {
        error->kind = PELORUS_MEMORY_ERROR;
    }
    if (const auto* known = dynamic_cast<const Error*>(&exception)) error->hint = known->hint();
    if (place.known()) {
        error->line = place.line;
        error->column = place.column;
    }
    error->text = errorText(exception, "", script);
    return error.release();
}

}  // namespace

pelorus_error* caughtError(std::string_view script) noexcept {
    const memory::Unrefused unrefused;
    try {
        try {
            throw;
        } catch (const std::exception& exception) {
            return errorOf(exception, script);
        } catch (...) {
            return errorOf(InternalError("an exception of a kind that is not known."), script);
        }
    } catch (...) {
        return &noMemory;
    }
}

pelorus_error* misuse(std::string message, std::string hint) {
    auto error = std::make_unique<pelorus_error>();
    error->kind = PELORUS_MISUSE;
    error->text = hint.empty() ? message : message + "\n" + hint;
    error->message = std::move(message);
    error->hint = std::move(hint);
    return error.release();
}

}  // namespace pelorus

pelorus_error_kind pelorus_error_kind_of(const pelorus_error* error) {
    return error->kind;
}
const char* pelorus_error_message(const pelorus_error* error) {
    return error->message.c_str();
}
const char* pelorus_error_hint(const pelorus_error* error) {
    return error->hint.c_str();
}
const char* pelorus_error_text(const pelorus_error* error) {
    return error->text.c_str();
}
int32_t pelorus_error_line(const pelorus_error* error) {
    return error->line;
}
int32_t pelorus_error_column(const pelorus_error* error) {
    return error->column;
}
void pelorus_error_free(pelorus_error* error) {
    if (error != &pelorus::noMemory) delete error;
}
