// The models: those of this person, those that could be got, and everything about the one that is chosen.
import QtQuick
import QtQuick.Layouts
import Inglenook

Page {
    id: page

    required property AppModel app
    readonly property ModelLibrary library: app.models.library
    readonly property ModelOffers offers: app.models.offers
    readonly property SmallerModel smaller: app.models.smaller
    readonly property Actions actions: app.services.actions
    /// Of the model whose details are shown; empty: that in use.
    property string chosen: ""
    /// In one column the details take the place of the list.
    property bool detailed: false

    function takeFocus() {
        filterField.forceActiveFocus();
    }
    function show(modelId: string) {
        chosen = modelId;
        detailed = true;
        if (narrow)
            details.takeFocus();
    }

    objectName: "modelsPage"
    title: qsTr("Models")
    Component.onCompleted: {
        offers.refresh();
        library.look();
        chosen = library.currentId();
    }
    Keys.onEscapePressed: {
        if (narrow && detailed)
            detailed = false;
        else
            done();
    }

    tools: [
        InputField {
            id: filterField
            objectName: "modelFilter"
            focus: true
            Layout.preferredWidth: page.narrow ? 130 : 220
            label: qsTr("Filter the models")
            placeholderText: qsTr("Filter")
            Keys.onDownPressed: list.takeFocus()
        },
        TextButton {
            objectName: "browseButton"
            visible: !page.narrow
            text: qsTr("Open a file…")
            onClicked: page.actions.run("openModel")
        }
    ]

    RowLayout {
        anchors.fill: parent
        spacing: 0

        PageColumn {
            id: scroller
            objectName: "modelsScroller"
            Layout.fillHeight: true
            Layout.fillWidth: true
            Layout.preferredWidth: page.narrow ? page.width : page.width * 0.55
            anchors.fill: undefined
            visible: !page.narrow || !page.detailed
            margin: page.margin
            spacing: Theme.l

            RowLayout {
                Layout.fillWidth: true
                visible: page.smaller.progress.length > 0
                spacing: Theme.s

                Text {
                    objectName: "smallerInLibrary"
                    Layout.fillWidth: true
                    text: page.smaller.progress
                    textFormat: Text.PlainText
                    color: Theme.text
                    font.pixelSize: Theme.textSize
                    wrapMode: Text.Wrap
                }
                TextButton {
                    objectName: "smallerShow"
                    text: qsTr("Show")
                    Accessible.name: qsTr("Show how far it is")
                    onClicked: page.smaller.show()
                }
            }
            ModelList {
                id: list
                objectName: "modelList"
                Layout.fillWidth: true
                library: page.library
                filter: filterField.text
                chosen: page.chosen
                onPicked: modelId => page.show(modelId)
                onUsed: modelId => {
                    page.app.services.model.use(modelId);
                    page.done();
                }
            }
            Text {
                objectName: "remoteTrouble"
                textFormat: Text.PlainText
                Layout.fillWidth: true
                visible: text.length > 0
                text: page.library.remoteTrouble
                color: Theme.leaving
                font.pixelSize: Theme.smallSize
                wrapMode: Text.Wrap
            }
            Text {
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: qsTr("A model is a file. Drop one anywhere on this window, open one, or get one below.")
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
                wrapMode: Text.Wrap
            }
            TextButton {
                objectName: "browseHere"
                visible: page.narrow
                text: qsTr("Open a file…")
                onClicked: page.actions.run("openModel")
            }
            OfferList {
                objectName: "modelOffers"
                Layout.fillWidth: true
                offers: page.offers
                filter: filterField.text
                portal: page.app.services.portal
                onOpened: path => {
                    page.app.services.opener.openPath(path);
                    page.done();
                }
            }
            Text {
                objectName: "computerSentence"
                textFormat: Text.PlainText
                Layout.fillWidth: true
                visible: text.length > 0
                text: (page.offers.computer + " " + page.offers.age).trim()
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize - 1
                wrapMode: Text.Wrap
            }
        }
        Rectangle {
            Layout.fillHeight: true
            Layout.preferredWidth: 1
            visible: !page.narrow
            color: Theme.line
        }
        ModelDetails {
            id: details
            objectName: "modelDetailsPane"
            Layout.fillHeight: true
            Layout.fillWidth: true
            Layout.preferredWidth: page.narrow ? page.width : page.width * 0.45
            visible: !page.narrow || page.detailed
            narrow: page.narrow
            margin: page.margin
            library: page.library
            models: page.app.services.model
            actions: page.actions
            portal: page.app.services.portal
            modelId: page.chosen
            onUsed: page.done()
            onListWanted: {
                page.detailed = false;
                list.takeFocus();
            }
        }
    }
}
