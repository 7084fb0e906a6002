// One model of the library: a click shows what is known of it, Enter or a double click uses it.
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
    required property string spoken
    required property string details
    /// What is wrong with it.
    required property string trouble
    /// What is asked of it is sent to another computer.
    required property bool remote
    required property bool shown
    required property bool chosen

    signal used
    signal forgotten

    objectName: "model-" + index
    visible: shown
    height: shown ? implicitContentHeight + 2 * Theme.s : 0
    leftPadding: Theme.m
    rightPadding: Theme.xs
    hoverEnabled: true
    highlighted: ListView.isCurrentItem && ListView.view.activeFocus
    Accessible.role: Accessible.ListItem
    Accessible.name: spoken
    Accessible.description: trouble.length > 0 ? trouble + " " + details : details

    onDoubleClicked: used()
    Keys.onReturnPressed: used()
    Keys.onEnterPressed: used()
    Keys.onSpacePressed: clicked()
    Keys.onDeletePressed: if (!remote)
        forgotten()

    contentItem: RowLayout {
        spacing: Theme.m

        Icon {
            Layout.preferredWidth: Theme.iconSize(20)
            Layout.preferredHeight: Theme.iconSize(20)
            name: row.current ? "check" : row.remote ? "remote" : "model"
            color: row.remote ? Theme.leaving : row.current ? Theme.accent : Theme.mutedText
        }
        ColumnLayout {
            Layout.fillWidth: true
            spacing: 2

            Text {
                Layout.fillWidth: true
                text: row.name
                textFormat: Text.PlainText
                color: Theme.text
                font.pixelSize: Theme.textSize
                font.weight: row.current ? Font.DemiBold : Font.Normal
                elide: Text.ElideRight
            }
            Text {
                Layout.fillWidth: true
                objectName: "modelTrouble"
                visible: text.length > 0
                text: row.trouble
                textFormat: Text.PlainText
                color: Theme.danger
                font.pixelSize: Theme.smallSize - 1
                wrapMode: Text.Wrap
                maximumLineCount: 2
                elide: Text.ElideRight
            }
            Text {
                Layout.fillWidth: true
                objectName: "modelDetails"
                visible: text.length > 0
                text: row.details
                textFormat: Text.PlainText
                color: row.remote ? Theme.leaving : Theme.mutedText
                font.pixelSize: Theme.smallSize - 1
                wrapMode: Text.Wrap
                maximumLineCount: 2
                elide: Text.ElideRight
            }
        }
        TextButton {
            objectName: "useModel-" + row.index
            visible: !row.current && (row.hovered || row.chosen || row.highlighted)
            focusPolicy: Qt.NoFocus
            text: qsTr("Use")
            Accessible.name: qsTr("Use %1").arg(row.name)
            onClicked: row.used()
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: row.chosen ? Theme.pressed : row.hovered || row.highlighted ? Theme.hover : "transparent"

        FocusRing {
            shown: row.visualFocus || row.highlighted
        }
    }
}
