#include "stdlib/odbc/odbc_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "common/error.h"

namespace pelorus::odbc {

namespace {

template <class F>
void find(void* handle, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(handle, name));
    if (function == nullptr) throw SystemError(fmt::format("The ODBC driver manager lacks {}.", name));
}

DriverManager opened() {
    // It stays open: drivers have threads and handlers of their own.
    void* const handle = dlopen("libodbc.so.2", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        throw SystemError(
            fmt::format("The ODBC driver manager can't be opened: {}. Install Debian's package libodbc2.", dlerror()));
    }
    DriverManager l{};
    find(handle, "SQLAllocHandle", l.allocHandle);
    find(handle, "SQLFreeHandle", l.freeHandle);
    find(handle, "SQLSetEnvAttr", l.setEnvAttr);
    find(handle, "SQLSetConnectAttr", l.setConnectAttr);
    find(handle, "SQLDriverConnect", l.driverConnect);
    find(handle, "SQLDisconnect", l.disconnect);
    find(handle, "SQLGetInfo", l.getInfo);
    find(handle, "SQLExecDirect", l.execDirect);
    find(handle, "SQLPrepare", l.prepare);
    find(handle, "SQLBindParameter", l.bindParameter);
    find(handle, "SQLExecute", l.execute);
    find(handle, "SQLNumResultCols", l.numResultCols);
    find(handle, "SQLDescribeCol", l.describeCol);
    find(handle, "SQLFetch", l.fetch);
    find(handle, "SQLGetData", l.getData);
    find(handle, "SQLEndTran", l.endTran);
    find(handle, "SQLGetDiagRec", l.getDiagRec);
    find(handle, "SQLCancel", l.cancel);
    return l;
}

}  // namespace

const DriverManager& driverManager() {
    static const DriverManager kManager = opened();  // tried again after a failure
    return kManager;
}

std::string diagnosis(SQLSMALLINT kind, SQLHANDLE handle) {
    SQLCHAR state[6] = {}, text[1024] = {};
    SQLINTEGER native = 0;
    SQLSMALLINT length = 0;
    if (!SQL_SUCCEEDED(driverManager().getDiagRec(kind, handle, 1, state, &native, text, sizeof text, &length)))
        return "the driver gives no reason";
    return fmt::format("{} ({})", reinterpret_cast<const char*>(text), reinterpret_cast<const char*>(state));
}

}  // namespace pelorus::odbc
