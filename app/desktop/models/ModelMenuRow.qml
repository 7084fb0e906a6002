// One model in the menu under the model's name.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

T.ItemDelegate {
    id: row

    required property int index
    required property string modelId
    required property string name
    required property bool current
    required property bool remote
    required property string trouble
    required property string spoken
    required property bool shown

    objectName: "menuModel-" + index
    visible: shown
    height: shown ? Theme.controlSize : 0
    hoverEnabled: true
    highlighted: ListView.isCurrentItem && ListView.view.activeFocus
    Accessible.role: Accessible.ListItem
    Accessible.name: spoken
    Accessible.description: trouble
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()

    contentItem: RowLayout {
        spacing: Theme.s

        Icon {
            Layout.leftMargin: Theme.s
            Layout.preferredWidth: Theme.iconSize(17)
            Layout.preferredHeight: Theme.iconSize(17)
            name: row.current ? "check" : row.remote ? "remote" : "model"
            color: row.remote ? Theme.leaving : row.current ? Theme.accent : Theme.mutedText
        }
        Text {
            Layout.fillWidth: true
            Layout.rightMargin: Theme.s
            textFormat: Text.PlainText
            text: row.name
            color: row.trouble.length > 0 ? Theme.danger : row.remote ? Theme.leaving : Theme.text
            font.pixelSize: Theme.smallSize
            elide: Text.ElideRight
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: row.hovered || row.highlighted ? Theme.hover : "transparent"

        FocusRing {
            shown: row.highlighted
        }
    }
}
