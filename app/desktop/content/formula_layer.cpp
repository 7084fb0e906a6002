#include "app/desktop/content/formula_layer.h"

#include <QQuickWindow>
#include <QSGImageNode>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace ingle::desktop {

FormulaLayer::FormulaLayer(QQuickItem* parent) : QQuickItem(parent) {
    setFlag(ItemHasContents);
    connect(this, &FormulaLayer::changed, this, [this] {
        if (m_document) {
            connect(m_document, &BlockDocument::shown, this, &QQuickItem::polish, Qt::UniqueConnection);
            connect(m_document, &BlockDocument::laidOut, this, &QQuickItem::polish, Qt::UniqueConnection);
        }
        polish();
    });
}

void FormulaLayer::itemChange(ItemChange change, const ItemChangeData& data) {
    QQuickItem::itemChange(change, data);
    if (change == ItemDevicePixelRatioHasChanged || change == ItemSceneChange) polish();
}

void FormulaLayer::updatePolish() {
    if (window() == nullptr) return;
    const qreal ratio = window()->effectiveDevicePixelRatio();
    std::vector<Shown> shown;
    for (const BlockDocument::Place& place :
         m_document ? m_document->formulaPlaces() : std::vector<BlockDocument::Place>()) {
        Shown one{place.picture, {}, {}, place.xHeight * ratio, m_color};
        const auto same = std::ranges::find_if(m_shown, [&](const Shown& before) {
            return before.picture == one.picture && before.xHeight == one.xHeight &&
                   before.color == one.color;
        });
        one.image =
            same != m_shown.end() ? same->image : paintedFormula(*one.picture, one.color, one.xHeight);
        // Whole pixels, or letters would be blurred.
        const qreal above = std::ceil(one.picture->ascent * one.xHeight);
        one.place = QRectF(std::round(place.feet.x() * ratio) / ratio,
                           (std::round(place.feet.y() * ratio) - above) / ratio, one.image.width() / ratio,
                           one.image.height() / ratio);
        shown.push_back(std::move(one));
    }
    m_shown = std::move(shown);
    emit painted();
    update();
}

QSGNode* FormulaLayer::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
    delete old;
    auto all = std::make_unique<QSGNode>();
    for (const Shown& one : m_shown) {
        if (one.image.isNull()) continue;
        QSGImageNode* node = window()->createImageNode();
        node->setTexture(window()->createTextureFromImage(one.image));
        node->setOwnsTexture(true);
        node->setRect(one.place);
        all->appendChildNode(node);
    }
    return all.release();
}

}  // namespace ingle::desktop
