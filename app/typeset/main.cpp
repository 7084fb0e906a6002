/// inglenook-typeset: colours code for the window. A child that may be killed at any time: what it reads was
/// written by models, and a regular expression may take for ever. A JSON object a line, in and out:
/// {"language": "cpp", "code": "int x;"} → {"spans": [0, 3, "keyword"]}, begin, end and colour in UTF-16
/// units.
#include <QCoreApplication>
#include <QFile>
#include <QJSEngine>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <sys/resource.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "app/sandbox/sandbox.h"
#include "app/sandbox/secrecy.h"

namespace {

constexpr rlim_t kMaxMemory = rlim_t{1} << 30;  // bytes of address space

QString resource(const char* name) {
    QFile file(QString(":/") + name);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QJsonArray coloured(const QJSValue& colour, const QJsonObject& request) {
    const QJSValue spans = colour.call({request["language"].toString(), request["code"].toString()});
    return spans.isArray() ? QJsonArray::fromVariantList(spans.toVariant().toList()) : QJsonArray();
}

}  // namespace

int main(int argc, char** argv) {
    if (const auto denied = ingle::sandbox::denyInternetSockets(); !denied) {
        std::fprintf(stderr, "inglenook-typeset: %s\n", denied.error().message.c_str());
        return 1;
    }
    ingle::sandbox::keepOutOfDumps();  // code of private chats, too
    const rlimit memory{kMaxMemory, kMaxMemory};
    ::setrlimit(RLIMIT_AS, &memory);
    ::setpriority(PRIO_PROCESS, 0, 5);  // colours can wait

    QCoreApplication app(argc, argv);
    QJSEngine engine;
    const QJSValue mended = engine.evaluate(resource("v4.js"), "v4.js");
    // Prism looks for a page, finds none, and leaves `Prism` behind.
    engine.evaluate("var Prism = {manual: true, disableWorkerMessageHandler: true};");
    const QJSValue loaded = engine.evaluate(resource("prism.js"), "prism.js");
    const QJSValue colour = engine.evaluate(resource("colour.js"), "colour.js");
    for (const QJSValue& each : {mended, loaded, colour}) {
        if (!each.isError()) continue;
        std::fprintf(stderr, "inglenook-typeset: %s\n", qPrintable(each.toString()));
        return 1;
    }
    for (std::string line; std::getline(std::cin, line);) {
        const QJsonObject request = QJsonDocument::fromJson(QByteArray::fromStdString(line)).object();
        const QJsonObject answer{{"spans", coloured(colour, request)}};
        std::cout << QJsonDocument(answer).toJson(QJsonDocument::Compact).constData() << std::endl;
    }
    return 0;
}
