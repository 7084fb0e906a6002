#include "app/desktop/services/formula_pictures.h"

#include <QPainter>
#include <QSvgRenderer>

#include <cmath>
#include <utility>

#include "app/content/formulas.h"
#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

constexpr qsizetype kMostSource = 4000;         // UTF-16 units; what the child takes, too
constexpr qsizetype kMostFormulasKnown = 1000;  // formulas
// What the child promises (app/typeset/formula.js), in heights of an x.
constexpr qreal kMostWidth = 400;
constexpr qreal kMostHeight = 300;

FormulaPicturePtr pictureOf(const QJsonObject& object) {
    FormulaPicture picture{object["svg"].toString().toUtf8(), object["width"].toDouble(),
                           object["ascent"].toDouble(), object["depth"].toDouble()};
    const qreal height = picture.ascent + picture.depth;
    const bool sane = picture.width > 0 && picture.width <= kMostWidth && height > 0 &&
                      height <= kMostHeight && std::abs(picture.depth) <= kMostHeight;
    if (picture.svg.isEmpty() || !sane) return nullptr;
    return std::make_shared<const FormulaPicture>(std::move(picture));
}

}  // namespace

QImage paintedFormula(const FormulaPicture& picture, const QColor& colour, qreal xHeight) {
    const qreal ascent = picture.ascent * xHeight;
    const qreal depth = picture.depth * xHeight;
    const int above = static_cast<int>(std::ceil(ascent));
    const QSize size(static_cast<int>(std::ceil(picture.width * xHeight)),
                     above + static_cast<int>(std::ceil(depth)));
    if (size.isEmpty()) return {};
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QByteArray drawing = picture.svg;
    drawing.replace("currentColor", colour.name().toLatin1());
    QSvgRenderer renderer(drawing);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    renderer.render(&painter, QRectF(0, above - ascent, picture.width * xHeight, ascent + depth));
    return image;
}

FormulaPictures::FormulaPictures(QString program, QObject* parent, TypesetterPatience patience)
    : QObject(parent), m_typesetter(std::move(program), patience), m_known(kMostFormulasKnown) {}

FormulaPicturePtr FormulaPictures::find(const QString& source, QObject* context, Then then) {
    if (!m_typesetter.exists() || source.size() > kMostSource) return nullptr;
    if (const FormulaPicturePtr* known = m_known.object(source)) return *known;
    const bool isAsked = m_asked.contains(source);
    Waiting& waiting = m_asked[source];
    std::erase_if(waiting, [context](const auto& one) { return !one.first || one.first == context; });
    waiting.emplace_back(context, std::move(then));
    if (isAsked) return nullptr;
    const std::string utf8 = source.toStdString();
    const content::Formula formula = content::formulaOf(utf8);
    m_typesetter.ask({{"formula", toQString(std::string(formula.tex))}, {"display", formula.display}}, this,
                     [this, source](const QJsonObject& object, Typesetter::Memory memory) {
                         answer(source, object, memory);
                     });
    return nullptr;
}

void FormulaPictures::answer(const QString& source, const QJsonObject& object, Typesetter::Memory memory) {
    const Waiting waiting = m_asked.take(source);
    if (memory == Typesetter::Memory::AskAgain) return;  // whoever shows it again
    m_known.insert(source, new FormulaPicturePtr(pictureOf(object)));
    for (const auto& [context, then] : waiting)
        if (context) then();
}

}  // namespace ingle::desktop
