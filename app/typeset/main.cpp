/// inglenook-typeset: colours code and draws formulas for the window. A child that may be killed at any time:
/// what it reads was written by models, and a regular expression may take for ever. A JSON object a line, in
/// and out:
/// {"language": "cpp", "code": "int x;"} → {"spans": [0, 3, "keyword"]}, begin, end and colour in UTF-16
/// units, and
/// {"formula": "x^2", "display": false} → {"svg", "width", "ascent", "depth"} in heights of an x, or
/// {"error"}.
#include <QCoreApplication>
#include <QFile>
#include <QJSEngine>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLoggingCategory>

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "app/sandbox/roles.h"

namespace {

constexpr rlim_t kMaxMemory = rlim_t{1} << 30;  // bytes of address space

QString resource(const char* name) {
    QFile file(QString(":/") + name);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// One of the scripts in the resources, evaluated; undefined where it was not at hand when this was built.
QJSValue evaluated(QJSEngine& engine, const char* name) {
    QJSValue value = engine.evaluate(resource(name), name);
    if (!value.isError()) return value;
    std::fprintf(stderr, "inglenook-typeset: %s\n", qPrintable(value.toString()));
    std::exit(1);
}

/// Each of the two is loaded when it is first asked for: a window has one child for code and one for
/// formulas.
class Colours {
  public:
    QJsonObject of(const QJsonObject& request) {
        if (m_colour.isUndefined()) load();
        const QJSValue spans = m_colour.call({request["language"].toString(), request["code"].toString()});
        return {{"spans",
                 spans.isArray() ? QJsonArray::fromVariantList(spans.toVariant().toList()) : QJsonArray()}};
    }

  private:
    void load() {
        evaluated(m_engine, "v4.js");
        // Prism looks for a page, finds none, and leaves `Prism` behind.
        m_engine.evaluate("var Prism = {manual: true, disableWorkerMessageHandler: true};");
        evaluated(m_engine, "prism.js");
        m_colour = evaluated(m_engine, "colour.js");
    }

    QJSEngine m_engine;
    QJSValue m_colour;
};

class Formulas {
  public:
    QJsonObject of(const QJsonObject& request) {
        if (m_draw.isUndefined()) m_draw = evaluated(m_engine, "formula.js");
        const QJSValue drawn = m_draw.call({request["formula"].toString(), request["display"].toBool()});
        return drawn.isObject() && !drawn.isError() ? QJsonObject::fromVariantMap(drawn.toVariant().toMap())
                                                    : QJsonObject{{"error", drawn.toString()}};
    }

  private:
    QJSEngine m_engine;
    QJSValue m_draw;
};

}  // namespace

int main(int argc, char** argv) {
    using ingle::sandbox::Role;
    if (const auto caged = ingle::sandbox::enter(ingle::sandbox::cageFor(Role::Typesetter, {})); !caged) {
        std::fprintf(stderr, "inglenook-typeset: %s\n", caged.error().message.c_str());
        return 1;
    }
    const rlimit memory{kMaxMemory, kMaxMemory};
    ::setrlimit(RLIMIT_AS, &memory);
    ::setpriority(PRIO_PROCESS, 0, 5);  // beauty can wait

    QCoreApplication app(argc, argv);
    // What order scripts of others declare their variables in is nobody's business here.
    QLoggingCategory::setFilterRules("qt.qml.compiler.warning=false");
    Colours colours;
    Formulas formulas;
    for (std::string line; std::getline(std::cin, line);) {
        const QJsonObject request = QJsonDocument::fromJson(QByteArray::fromStdString(line)).object();
        const QJsonObject answer = request.contains("formula") ? formulas.of(request) : colours.of(request);
        std::cout << QJsonDocument(answer).toJson(QJsonDocument::Compact).constData() << std::endl;
    }
    return 0;
}
