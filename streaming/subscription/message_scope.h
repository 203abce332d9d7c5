// MessageScope is where functions of a subscription run: in its session, by its request, with few threads.
#pragma once

#include "common/thread/work_arena.h"
#include "interpreter/session/session.h"
#include "runtime/function/context.h"

namespace pelorus {

// Lives while one message is filtered or handled. Services, request and session outlive it.
class MessageScope {
public:
    MessageScope(const Services& services, Request& request, Session& session)
        : arena_(kThreads), work_(arena_), context_(services, request) {
        context_.session = &session;
        context_.scope = &session;
    }
    MessageScope(const MessageScope&) = delete;
    MessageScope& operator=(const MessageScope&) = delete;

    Context& context() { return context_; }

private:
    static constexpr int kThreads = 2;
    WorkArena arena_;
    const WorkScope work_;
    Context context_;
};

}  // namespace pelorus
