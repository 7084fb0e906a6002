// A row of the sidebar that is no conversation of the list.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

T.ItemDelegate {
    id: row

    required property string iconName
    property bool shown: false

    implicitHeight: Theme.controlSize + Theme.xs
    hoverEnabled: true
    focusPolicy: Qt.TabFocus
    Accessible.name: text
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()

    contentItem: RowLayout {
        spacing: Theme.s

        Icon {
            Layout.leftMargin: Theme.l
            Layout.preferredWidth: Theme.iconSize(17)
            Layout.preferredHeight: Theme.iconSize(17)
            name: row.iconName
            color: Theme.mutedText
        }
        Text {
            Layout.fillWidth: true
            Layout.rightMargin: Theme.l
            text: row.text
            textFormat: Text.PlainText
            color: Theme.text
            font.pixelSize: Theme.smallSize
            font.weight: row.shown ? Font.DemiBold : Font.Normal
            elide: Text.ElideRight
        }
    }
    background: Rectangle {
        x: Theme.s
        width: row.width - 2 * Theme.s
        height: row.height
        radius: Theme.radius
        color: row.shown ? Theme.pressed : row.hovered ? Theme.hover : "transparent"

        FocusRing {
            shown: row.visualFocus
        }
    }
}
