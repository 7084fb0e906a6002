// One model of the library.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

T.ItemDelegate {
    id: row

    required property ModelListModel models
    required property int index
    required property string modelId
    required property string name
    required property string path
    required property bool current
    required property string spoken
    required property string details
    /// What is wrong with it.
    required property string trouble
    /// What is asked of it leaves this computer.
    required property bool remote

    signal chosen

    objectName: "model-" + index
    height: implicitContentHeight + 2 * Theme.s
    leftPadding: Theme.m
    rightPadding: Theme.xs
    hoverEnabled: true
    highlighted: ListView.isCurrentItem && ListView.view.activeFocus
    Accessible.role: Accessible.ListItem
    Accessible.name: spoken
    Accessible.description: trouble.length > 0 ? trouble + " " + details : details

    onClicked: {
        models.use(modelId);
        chosen();
    }
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()
    Keys.onDeletePressed: if (!remote)
        models.forget(modelId)

    contentItem: RowLayout {
        spacing: Theme.m

        Icon {
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
                maximumLineCount: 3
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
            Text {
                Layout.fillWidth: true
                visible: !row.remote
                text: row.path
                textFormat: Text.PlainText
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize - 1
                elide: Text.ElideMiddle
            }
        }
        IconButton {
            visible: !row.remote
            iconName: "close"
            focusPolicy: Qt.NoFocus
            hint: qsTr("Forget this model (the file stays)")
            onClicked: row.models.forget(row.modelId)
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: row.hovered || row.highlighted ? Theme.hover : "transparent"

        FocusRing {
            shown: row.visualFocus || row.highlighted
        }
    }
}
