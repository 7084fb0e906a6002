// A table; scrolls sideways when it is wider than the page.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Flickable {
    id: table

    required property AppModel app
    required property var rows
    required property var columns
    property bool rightToLeft: false
    readonly property real maximumCellWidth: 280

    implicitHeight: grid.implicitHeight + Theme.s
    contentWidth: Math.max(width, grid.implicitWidth)
    clip: true
    interactive: false
    T.ScrollBar.horizontal: ScrollThumb {}
    Accessible.role: Accessible.Table
    Accessible.name: qsTr("Table with %1 rows").arg(rows.length)

    ColumnLayout {
        id: grid
        spacing: 0
        LayoutMirroring.enabled: table.rightToLeft
        LayoutMirroring.childrenInherit: true

        GridLayout {
            id: cells
            columns: table.columns.length
            columnSpacing: Theme.xl
            rowSpacing: Theme.s

            Repeater {
                model: table.rows.reduce((all, row, r) => all.concat(row.map((html, c) => ({
                                html: html,
                                header: r === 0,
                                alignment: table.columns[c]
                            }))), [])
                delegate: Item {
                    id: cell

                    required property var modelData

                    Layout.fillWidth: true
                    Layout.fillHeight: true
                    Layout.maximumWidth: table.maximumCellWidth
                    implicitWidth: Math.min(measure.implicitWidth + 1, table.maximumCellWidth)
                    implicitHeight: text.implicitHeight + (modelData.header ? Theme.s : 0)

                    Text {
                        id: measure
                        visible: false
                        text: cell.modelData.html
                        textFormat: Text.RichText
                        font: text.font
                    }
                    TextEdit {
                        id: text
                        width: parent.width
                        text: Theme.richTextStyle + cell.modelData.html
                        textFormat: TextEdit.RichText
                        readOnly: true
                        selectByMouse: true
                        wrapMode: TextEdit.Wrap
                        horizontalAlignment: cell.modelData.alignment
                        color: cell.modelData.header ? Theme.mutedText : Theme.text
                        selectionColor: Theme.selection
                        selectedTextColor: Theme.text
                        font.pixelSize: cell.modelData.header ? Theme.smallSize : Theme.textSize
                        onLinkActivated: link => table.app.portal.openLink(link)
                    }
                    Rectangle {
                        anchors.bottom: parent.bottom
                        anchors.bottomMargin: Theme.xs
                        width: parent.width + Theme.xl
                        height: 1
                        visible: cell.modelData.header
                        color: Theme.line
                    }
                }
            }
        }
    }
}
