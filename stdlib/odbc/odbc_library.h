// The driver manager unixODBC, which is opened on first use: a process that connects to nothing needs none.
#pragma once

#include <sql.h>
#include <sqlext.h>

#include <string>

namespace pelorus::odbc {

// The functions of the driver manager that are called here.
struct DriverManager {
    decltype(&::SQLAllocHandle) allocHandle;
    decltype(&::SQLFreeHandle) freeHandle;
    decltype(&::SQLSetEnvAttr) setEnvAttr;
    decltype(&::SQLSetConnectAttr) setConnectAttr;
    decltype(&::SQLDriverConnect) driverConnect;
    decltype(&::SQLDisconnect) disconnect;
    decltype(&::SQLGetInfo) getInfo;
    decltype(&::SQLExecDirect) execDirect;
    decltype(&::SQLPrepare) prepare;
    decltype(&::SQLBindParameter) bindParameter;
    decltype(&::SQLExecute) execute;
    decltype(&::SQLNumResultCols) numResultCols;
    decltype(&::SQLDescribeCol) describeCol;
    decltype(&::SQLFetch) fetch;
    decltype(&::SQLGetData) getData;
    decltype(&::SQLEndTran) endTran;
    decltype(&::SQLGetDiagRec) getDiagRec;
    decltype(&::SQLCancel) cancel;
};

// Opens libodbc.so.2. Throws SystemError, naming the package, when it is not there.
const DriverManager& driverManager();

// Returns what a driver says about the last call on a handle.
std::string diagnosis(SQLSMALLINT kind, SQLHANDLE handle);

}  // namespace pelorus::odbc
